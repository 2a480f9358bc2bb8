import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CallSection } from './call.tsx';
import { CredentialsForm } from './credentials.tsx';
import type { DemoState } from './credentials.tsx';
import { DEMO_SHOPPER, setUpDemo } from './demo.ts';
import type { Demo, DemoStore } from './demo.ts';
import { GuideView } from './guide.tsx';
import { GUIDES } from './guides.ts';
import type { Area, Document } from './model.ts';
import { Navigation } from './nav.tsx';
import type { Credentials } from './request.ts';
import { useRoute } from './route.ts';
import { SettingsContext } from './settings.ts';
import type { Language, Settings } from './settings.ts';
import { Text } from './text.tsx';

/** What the service gives the page: its public address, and the demo store where the visitor may know it. */
export type Data = { address: string; demo: DemoStore | null };

const NOBODY: Credentials = { pid: '', apiKey: '', regid: '', sessionid: '' };

/** The credentials of the page; at first the demo's, where there is one. */
function useCredentials({ demo: store, address }: Data) {
  const [credentials, setCredentials] = useState<Credentials>({ ...NOBODY, ...store });
  const [demo, setDemo] = useState<Demo | null>(null);
  const [state, setState] = useState<DemoState>({ kind: store ? 'waiting' : 'none' });
  useEffect(() => {
    if (store === null) return;
    setUpDemo(store, address).then(
      (made) => {
        setDemo(made);
        setCredentials(made.credentials);
        setState({ kind: 'ready' });
      },
      (error: unknown) => setState({ kind: 'failed', why: String(error) }),
    );
  }, [store, address]);
  // Lists of the demo are of no use to anybody else.
  const isOwn =
    demo !== null && credentials.pid === demo.credentials.pid && credentials.regid === demo.credentials.regid;
  return { credentials, setCredentials, state, demo: isOwn ? demo : null };
}

function Header({ version }: { version: string }) {
  return (
    <header class="bar">
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the text
      </a>
      <a class="brand" href="/">
        wishgate
      </a>
      <nav aria-label="Pages">
        <a href="/docs" aria-current="page">
          API reference
        </a>
        <a href="/graphiql">GraphiQL</a>
        <a href="/client">Browser library</a>
        <a href="/docs/openapi.json">openapi.json</a>
      </nav>
      <span class="version">{version}</span>
    </header>
  );
}

/** The address stays the reader's place; only the focus moves. */
function focusMain(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

function Introduction({ reference }: { reference: Document }) {
  return (
    <div class="intro" id="intro">
      <h1 tabIndex={-1}>API reference</h1>
      <Text text={reference.info.description} />
      <ul class="guides">
        {GUIDES.map(({ id, title }) => (
          <li>
            <a href={`#/guide/${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The whole page: the way around, the guides, and every call. */
export function App({ reference, areas, data }: { reference: Document; areas: Area[]; data: Data }) {
  const { credentials, setCredentials, state, demo } = useCredentials(data);
  const [language, chooseLanguage] = useState<Language>('curl');
  const main = useRef<HTMLElement>(null);
  const { current, guideId } = useRoute(main, areas);
  const index = GUIDES.findIndex(({ id }) => id === guideId);
  const guide = GUIDES[index];
  const settings = useMemo<Settings>(
    () => ({
      address: data.address,
      credentials,
      demo,
      language,
      chooseLanguage,
      schemas: reference.components.schemas,
    }),
    [data, credentials, demo, language, reference],
  );
  return (
    <SettingsContext.Provider value={settings}>
      <Header version={reference.info.version} />
      <div class="frame">
        <Navigation areas={areas} guides={GUIDES} current={current} />
        <main id="main" ref={main} tabIndex={-1}>
          {guide && <GuideView guide={guide} anyCall={areas[0]!.calls[0]!} next={GUIDES[index + 1]} />}
          {/* Kept while a guide is read, so that what was typed stays. */}
          <div hidden={guide !== undefined}>
            <Introduction reference={reference} />
            <CredentialsForm
              credentials={credentials}
              onChange={setCredentials}
              state={state}
              shopper={DEMO_SHOPPER}
            />
            {areas.map(({ name, description, calls }) => (
              <div class="area">
                <h2>{name}</h2>
                <p>{description}</p>
                {calls.map((call) => (
                  <CallSection key={call.id} call={call} />
                ))}
              </div>
            ))}
          </div>
        </main>
      </div>
    </SettingsContext.Provider>
  );
}
