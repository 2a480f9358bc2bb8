import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { GUIDES } from '../../../../docs/guides/README.md';
import { CallSection } from './call.tsx';
import { CredentialsForm } from './credentials.tsx';
import { NO_CREDENTIALS, setUpDemo } from './demo.ts';
import type { Demo, DemoStore } from './demo.ts';
import { GuideView } from './guide.tsx';
import { areasOf } from './model.ts';
import type { Area, Document } from './model.ts';
import { Navigation } from './nav.tsx';
import { SettingsContext } from './settings.ts';
import type { Language } from './settings.ts';
import { Text } from './text.tsx';
import './docs.css';

/** The service's public URL, and the demo store if the visitor may use it. */
type Data = { address: string; demo: DemoStore | null };

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
  const state = demo ? 'ready' : store ? 'waiting' : 'none';
  return { credentials, setCredentials, state, error, demo: isDemo ? demo : null } as const;
}

function useHash(areas: Area[]): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    const guide = GUIDES.find(({ id }) => `#/guide/${id}` === hash);
    const call = areas.flatMap(({ calls }) => calls).find(({ operationId }) => `#/${operationId}` === hash);
    const place = guide?.title ?? call?.path;
    document.title = `${place ? `${place} · ` : ''}API reference · wishgate`;
    if (hash === '') return;
    const target = document.getElementById(hash.slice(2).replace('/', '-') || 'intro');
    target?.scrollIntoView();
    target?.querySelector<HTMLElement>('h1, h2, h3')?.focus({ preventScroll: true });
  }, [hash, areas]);
  return hash;
}

function App({ reference, data }: { reference: Document; data: Data }) {
  const { credentials, setCredentials, state, error, demo } = useCredentials(data);
  const [language, chooseLanguage] = useState<Language>('curl');
  const areas = useMemo(() => areasOf(reference), [reference]);
  const hash = useHash(areas);
  const guide = GUIDES.find(({ id }) => `#/guide/${id}` === hash);
  const { address } = data;
  const { description, version } = reference.info;
  const { schemas } = reference.components;
  const settings = useMemo(
    () => ({ address, credentials, demo, language, chooseLanguage, schemas }),
    [address, credentials, demo, language, schemas],
  );
  const guides = GUIDES.map(({ id, title }) => <a href={`#/guide/${id}`}>{title}</a>);
  const sections = areas.map((area) => (
    <>
      <h2>{area.name}</h2>
      <p class="quiet">{area.description}</p>
      {area.calls.map((call) => (
        <CallSection key={call.operationId} call={call} />
      ))}
    </>
  ));
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
              <Text text={`${description} It is [openapi.json](/docs/openapi.json), version ${version}.`} />
              <p class="guides">{guides}</p>
            </div>
            <CredentialsForm {...{ credentials, state, error }} onChange={setCredentials} />
            {sections}
          </div>
        </main>
      </div>
    </SettingsContext.Provider>
  );
}

const root = document.querySelector('#app')!;

async function start(): Promise<void> {
  const data = JSON.parse(document.querySelector('#data')!.textContent) as Data;
  const response = await fetch('/docs/openapi.json');
  if (!response.ok) throw new Error(`openapi.json answered ${response.status}`);
  const reference = (await response.json()) as Document;
  root.textContent = '';
  render(<App reference={reference} data={data} />, root);
}

start().catch((error: unknown) => {
  root.textContent = `The reference could not be loaded (${String(error)}). Load the page again.`;
});
