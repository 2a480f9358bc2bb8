import { GraphiQL } from 'graphiql';
import { createElement, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/style.css';
import './graphiql.css';
import { repairAccessibility } from './graphiql-access.ts';
import { INTROSPECTION, createFetcher } from './graphiql-fetcher.ts';
import { createStorage } from './graphiql-storage.ts';

type Tab = { query: string; variables?: string; headers: string };

const { tabs, keptFor } = JSON.parse(document.querySelector('#data')!.textContent) as {
  tabs: Tab[];
  keptFor: string;
};
const shopperHeaders = tabs.at(-1)!.headers;
const storage = createStorage(keptFor, shopperHeaders);

/** A document that a link of the API reference carries, with the headers of its caller. */
function linkedTab(): Tab | null {
  const given = new URLSearchParams(location.hash.slice(1));
  const query = given.get('query');
  if (query === null) return null;
  // Otherwise a reload would restore the document after an edit.
  history.replaceState(null, '', location.pathname);
  const headers = given.get('caller') === 'shopper' ? shopperHeaders : tabs[0]!.headers;
  return { query, variables: given.get('variables') ?? '', headers };
}

/** The initial tab. GraphiQL stores its editors shortly after its tabs: a reload in between would add a tab. */
function firstTab(): Partial<Tab> {
  const stored = storage.getItem('graphiql:tabState');
  if (stored === null) return { headers: tabs[0]!.headers };
  const state = JSON.parse(stored) as { tabs: Record<keyof Tab, string | null>[]; activeTabIndex: number };
  const { query, variables, headers } = state.tabs[state.activeTabIndex]!;
  return { query: query ?? '', variables: variables ?? '', headers: headers ?? '' };
}

const first: Partial<Tab> = linkedTab() ?? firstTab();
const isNarrow = matchMedia('(max-width: 760px)').matches;
const root = document.querySelector<HTMLElement>('#app')!;

/** The Authorization header of a tab, which decides what of the schema it is shown; empty if there is none. */
function authorizationIn(headers: string | null | undefined): string {
  try {
    const found = Object.entries(JSON.parse(headers || '{}') as Record<string, string>);
    return found.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  } catch {
    return '';
  }
}

/** How long nothing is typed before the schema is read with the new credentials. */
const TYPING_MS = 500;

function App() {
  const [authorization, setAuthorization] = useState(authorizationIn(first.headers));
  // GraphiQL reads the schema again for a new fetcher.
  const fetcher = useMemo(() => createFetcher(authorization), [authorization]);
  const timer = useMemo(() => ({ id: 0 }), []);
  const follow = (headers: string | null | undefined, afterMs: number): void => {
    clearTimeout(timer.id);
    timer.id = window.setTimeout(() => setAuthorization(authorizationIn(headers)), afterMs);
  };
  return createElement(
    GraphiQL,
    {
      fetcher,
      storage,
      defaultTabs: tabs,
      ...first,
      onEditHeaders: (headers) => follow(headers, TYPING_MS),
      onTabChange: (state) => follow(state.tabs[state.activeTabIndex]?.headers, 0),
      introspectionQueryName: INTROSPECTION,
      schemaDescription: true,
      inputValueDeprecation: true,
      defaultHeaders: shopperHeaders,
      defaultQuery: '',
      // On a phone the query needs the space; a tap on their names opens them.
      defaultEditorToolsVisibility: !isNarrow && (first.variables ? 'variables' : 'headers'),
      // The storage decides where they are stored.
      shouldPersistHeaders: true,
      showPersistHeadersSettings: false,
      forcedTheme: 'system',
      maxHistoryLength: 50,
    },
    createElement(GraphiQL.Logo, null, ''),
  );
}

createRoot(root).render(createElement(App));
repairAccessibility(root);
