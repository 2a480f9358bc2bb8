import { render } from 'preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { GUIDES } from '../../../../docs/guides/README.md';
import { CallEntry } from './call.tsx';
import { Entry } from './code.tsx';
import { CredentialsForm } from './credentials.tsx';
import { NO_CREDENTIALS, setUpDemo } from './demo.ts';
import type { Demo, DemoStore } from './demo.ts';
import { GuideView } from './guide.tsx';
import { areasOf, errorRows, eventsOf } from './model.ts';
import type { Document } from './model.ts';
import { ErrorTable, EventEntry, GraphqlEntry } from './more.tsx';
import { Navigation } from './nav.tsx';
import { GRAPHQL_GROUPS, topicsOf } from './search.ts';
import type { Contents } from './search.ts';
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
  const isUntouched =
    credentials.pid === store?.pid && credentials.apiKey === store.apiKey && credentials.regid === '';
  const setUp = useMemo(() => {
    if (store === null || !isUntouched) return null;
    let made: Promise<Demo> | null = null;
    const create = async (): Promise<Demo> => {
      const created = await setUpDemo(store, address);
      setDemo(created);
      setCredentials(created.credentials);
      return created;
    };
    return () =>
      (made ??= create().catch((reason: unknown) => {
        made = null;
        setError(String(reason));
        throw reason;
      }));
  }, [store, address, isUntouched]);
  const { pid, regid } = demo?.credentials ?? NO_CREDENTIALS;
  // The demo's lists are useless to other callers.
  const isDemo = credentials.pid === pid && credentials.regid === regid;
  const state = demo ? 'ready' : store ? 'open' : 'none';
  return { credentials, setCredentials, setUp, state, error, demo: isDemo ? demo : null } as const;
}

function useHash(topics: Map<string, string>): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    const place = topics.get(hash);
    document.title = `${place ? `${place} · ` : ''}API reference · wishgate`;
    if (hash === '') return;
    const target = document.getElementById(hash.slice(2).replace('/', '-') || 'intro');
    target?.scrollIntoView();
    target?.querySelector<HTMLElement>('h1, h2, h3')?.focus({ preventScroll: true });
  }, [hash, topics]);
  return hash;
}

const ABOUT_GRAPHQL =
  'These operations have no REST call. Send them to `POST /graphql`; subscriptions run as server-sent events at `/graphql/stream`.';
const ABOUT_EVENTS =
  'Your server receives a signed POST for each event that a webhook subscribes to. The [guide](#/guide/webhooks) shows how to add a webhook and check its signature.';
const ABOUT_ERRORS =
  'Every error has the same body and a status from this table. Programs go by `type`; `msg` is for people. The [guide](#/guide/errors) says what to do about each.';

const Part = (props: { title: string; about: string; children: ComponentChildren }) => (
  <section>
    <h2>{props.title}</h2>
    <Text text={props.about} />
    {props.children}
  </section>
);

function Parts({ areas, operations, events, errors }: Contents) {
  const kinds = Object.entries(GRAPHQL_GROUPS).map(([kind, title]) => (
    <Part title={title} about={ABOUT_GRAPHQL}>
      {operations
        .filter((operation) => operation.kind === kind)
        .map((operation) => (
          <GraphqlEntry key={operation.name} operation={operation} />
        ))}
    </Part>
  ));
  return (
    <>
      {areas.map(({ name, description, calls }) => (
        <Part title={name} about={description}>
          {calls.map((call) => (
            <CallEntry key={call.operationId} call={call} />
          ))}
        </Part>
      ))}
      {kinds}
      <Part title="Errors" about={ABOUT_ERRORS}>
        <Entry path="errors" title="Error types" note="400 to 503">
          {() => <ErrorTable rows={errors} />}
        </Entry>
      </Part>
      <Part title="Webhook events" about={ABOUT_EVENTS}>
        {events.map((event) => (
          <EventEntry key={event.type} event={event} />
        ))}
      </Part>
    </>
  );
}

function contentsOf(reference: Document): Contents {
  const areas = areasOf(reference);
  const errors = errorRows(areas.flatMap(({ calls }) => calls));
  return { areas, operations: reference['x-graphql-operations'], events: eventsOf(reference), errors };
}

function App({ reference, data }: { reference: Document; data: Data }) {
  const { credentials, setCredentials, setUp, state, error, demo } = useCredentials(data);
  const [language, chooseLanguage] = useState<Language>('curl');
  const contents = useMemo(() => contentsOf(reference), [reference]);
  const { schemas } = reference.components;
  const topics = useMemo(() => topicsOf(contents, schemas), [contents, schemas]);
  const titles = useMemo(() => new Map(topics.map(({ href, label }) => [href, label])), [topics]);
  const hash = useHash(titles);
  const guide = GUIDES.find(({ id }) => `#/guide/${id}` === hash);
  const { address } = data;
  const { description, version } = reference.info;
  const settings = useMemo(
    () => ({ address, credentials, demo, setUp, hash, language, chooseLanguage, schemas }),
    [address, credentials, demo, setUp, hash, language, schemas],
  );
  const guides = GUIDES.map(({ id, title }) => <a href={`#/guide/${id}`}>{title}</a>);
  const parts = useMemo(() => <Parts {...contents} />, [contents]);
  return (
    <SettingsContext.Provider value={settings}>
      <nav aria-label="Skip">
        <a class="skip" href="#/">
          Skip to the content
        </a>
      </nav>
      <div class="frame">
        <Navigation topics={topics} current={hash || '#/'} />
        <main>
          {guide && <GuideView guide={guide} errors={contents.errors} />}
          {/* Stays mounted while a guide is open, so that input is not lost. */}
          <div hidden={guide !== undefined}>
            <div id="intro">
              <h1 tabIndex={-1}>API reference</h1>
              <Text
                text={`${description} Download [openapi.json](/docs/openapi.json), version ${version}.`}
              />
              <p class="guides">{guides}</p>
            </div>
            <CredentialsForm {...{ credentials, state, setUp, error }} onChange={setCredentials} />
            {parts}
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
