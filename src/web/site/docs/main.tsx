import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { GUIDES } from '../../../../docs/guides/README.md';
import { Code, Details, idOf } from './code.tsx';
import { START, partsOf } from './contents.tsx';
import { CredentialsForm } from './credentials.tsx';
import { NO_CREDENTIALS, setUpDemo } from './demo.ts';
import type { Demo, DemoStore } from './demo.ts';
import { GuideView } from './guide.tsx';
import type { Document } from './model.ts';
import { Navigation } from './nav.tsx';
import type { Part } from './search.ts';
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
  const { pid, apiKey, regid } = credentials;
  const create = async (): Promise<Demo> => {
    const made = await setUpDemo(store!, address).catch((reason: unknown) => {
      setError(String(reason));
      throw reason;
    });
    setDemo(made);
    setCredentials(made.credentials);
    return made;
  };
  const setUp = pid === store?.pid && apiKey === store.apiKey && regid === '' ? create : null;
  // The demo's lists are useless to other callers.
  const isDemo = pid === demo?.credentials.pid && regid === demo.credentials.regid;
  const state = demo ? 'ready' : store ? 'open' : 'none';
  return { credentials, setCredentials, setUp, state, error, demo: isDemo ? demo : null } as const;
}

function useHash(parts: Part[]): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    const topic = parts.flatMap(({ topics }) => topics).find(({ href }) => href === hash);
    document.title = `${topic ? `${topic.title} · ` : ''}API reference · wishgate`;
    if (hash === '') return;
    const target = document.getElementById(idOf(hash) || 'intro');
    if (target instanceof HTMLDetailsElement) target.open = true;
    target?.scrollIntoView();
    target?.querySelector<HTMLElement>('h1, h2, summary')?.focus({ preventScroll: true });
  }, [hash, parts]);
  return hash;
}

const PartSection = ({ name, about = '', topics }: Part) => (
  <section>
    <h2>{name}</h2>
    <Text text={about} />
    {topics.map(({ href, title, note = '', body }) => (
      <Details key={href} href={href} summary={title} note={note}>
        {body!}
      </Details>
    ))}
  </section>
);

function App({ reference, data }: { reference: Document; data: Data }) {
  const { credentials, setCredentials, setUp, state, error, demo } = useCredentials(data);
  const [language, chooseLanguage] = useState<Language>('curl');
  const parts = useMemo(() => partsOf(reference), [reference]);
  const contents = useMemo(() => [...START, ...parts], [parts]);
  const hash = useHash(contents);
  const guide = GUIDES.find(({ id }) => `#/guide/${id}` === hash);
  const { address } = data;
  const { description, version } = reference.info;
  const { schemas } = reference.components;
  const settings = { address, credentials, demo, setUp, language, chooseLanguage, schemas };
  const guides = GUIDES.map(({ id, title }) => <a href={`#/guide/${id}`}>{title}</a>);
  const sections = useMemo(() => parts.map((part) => <PartSection {...part} />), [parts]);
  return (
    <SettingsContext.Provider value={settings}>
      <nav aria-label="Skip">
        <a class="skip" href="#/">
          Skip to the content
        </a>
      </nav>
      <div class="frame">
        <Navigation parts={contents} current={hash || '#/'} />
        <main>
          {guide && <GuideView guide={guide} />}
          {/* Stays mounted while a guide is open, so that input is not lost. */}
          <div hidden={guide !== undefined}>
            <div id="intro">
              <h1 tabIndex={-1}>API reference</h1>
              <Text
                text={`Base URL: \`${address}\`\n\n${description} Download [openapi.json](/docs/openapi.json), version ${version}.`}
              />
              <Code
                title="A first call: check your API key"
                code={`curl '${address}/storeadmin/me' \\\n  -u '${credentials.pid || 'YOUR_PID'}:${credentials.apiKey || 'YOUR_API_KEY'}'`}
                what="first call"
              />
              <p class="guides">{guides}</p>
            </div>
            <CredentialsForm state={state} error={error} onChange={setCredentials} />
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
  if (!response.ok) throw new Error(`openapi.json returned ${response.status}`);
  const reference = (await response.json()) as Document;
  root.textContent = '';
  render(<App reference={reference} data={data} />, root);
}

start().catch((error: unknown) => {
  root.textContent = `The API reference could not be loaded. Reload the page to try again. (${String(error)})`;
});
