import { useEffect, useMemo, useState } from 'preact/hooks';
import { GUIDES } from '../../../../docs/guides/README.md';
import { CallSection } from './call.tsx';
import { CredentialsForm } from './credentials.tsx';
import type { DemoState } from './credentials.tsx';
import { NO_CREDENTIALS, setUpDemo } from './demo.ts';
import type { Demo, DemoStore } from './demo.ts';
import { GuideView } from './guide.tsx';
import { areasOf } from './model.ts';
import type { Document } from './model.ts';
import { Navigation } from './nav.tsx';
import { useRoute } from './route.ts';
import { SettingsContext } from './settings.ts';
import type { Language } from './settings.ts';
import { Text } from './text.tsx';

/** The service's public URL, and the demo store if the visitor may use it. */
export type Data = { address: string; demo: DemoStore | null };

function useCredentials({ demo: store, address }: Data) {
  const [credentials, setCredentials] = useState({ ...NO_CREDENTIALS, ...store });
  const [demo, setDemo] = useState<Demo | null>(null);
  const [error, setError] = useState('');
  useEffect(() => {
    if (store === null) return;
    setUpDemo(store, address).then(
      (made) => {
        setDemo(made);
        setCredentials(made.credentials);
      },
      (reason: unknown) => setError(String(reason)),
    );
  }, [store, address]);
  const { pid, regid } = demo?.credentials ?? NO_CREDENTIALS;
  // The demo's lists are useless to other callers.
  const isDemo = credentials.pid === pid && credentials.regid === regid;
  const waiting: DemoState = store ? 'waiting' : 'none';
  const state = demo ? 'ready' : waiting;
  return { credentials, setCredentials, state, error, demo: isDemo ? demo : null } as const;
}

export function App({ reference, data }: { reference: Document; data: Data }) {
  const { credentials, setCredentials, state, error, demo } = useCredentials(data);
  const [language, chooseLanguage] = useState<Language>('curl');
  const areas = useMemo(() => areasOf(reference), [reference]);
  const { hash, guide } = useRoute(areas);
  const { address } = data;
  const {
    info,
    components: { schemas },
  } = reference;
  const settings = useMemo(
    () => ({ address, credentials, demo, language, chooseLanguage, schemas }),
    [address, credentials, demo, language, schemas],
  );
  return (
    <SettingsContext.Provider value={settings}>
      <nav aria-label="Skip">
        <a class="skip" href="#/">
          Skip to the text
        </a>
      </nav>
      <div class="frame">
        <Navigation areas={areas} current={hash || '#/'} />
        <main>
          {guide && <GuideView guide={guide} anyCall={areas[0]!.calls[0]!} />}
          {/* Stays mounted while a guide is open, so that input is not lost. */}
          <div hidden={guide !== undefined}>
            <div id="intro">
              <h1 tabIndex={-1}>API reference</h1>
              <Text
                text={`${info.description} It is [openapi.json](/docs/openapi.json), version ${info.version}.`}
              />
              <p class="guides">
                {GUIDES.map(({ id, title }) => (
                  <a href={`#/guide/${id}`}>{title}</a>
                ))}
              </p>
            </div>
            <CredentialsForm
              credentials={credentials}
              onChange={setCredentials}
              state={state}
              error={error}
            />
            {areas.map(({ name, description, calls }) => (
              <>
                <h2>{name}</h2>
                <p class="quiet">{description}</p>
                {calls.map((call) => (
                  <CallSection key={call.operationId} call={call} />
                ))}
              </>
            ))}
          </div>
        </main>
      </div>
    </SettingsContext.Provider>
  );
}
