import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/style.css';
import './graphiql.css';
import { repairAccessibility } from './graphiql-access.ts';
import { fetcher } from './graphiql-fetcher.ts';
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

createRoot(root).render(
  createElement(
    GraphiQL,
    {
      fetcher,
      storage,
      defaultTabs: tabs,
      ...first,
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
  ),
);
repairAccessibility(root);
