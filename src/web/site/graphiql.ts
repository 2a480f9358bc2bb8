import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/style.css';
import './graphiql.css';
import { putRight } from './graphiql-access.ts';
import { fetcher } from './graphiql-fetcher.ts';
import { createKeeping } from './graphiql-keeping.ts';

type Tab = { query: string; variables?: string; headers: string };

const { tabs, keptFor } = JSON.parse(document.querySelector('#data')!.textContent) as {
  tabs: Tab[];
  keptFor: string;
};
const shopperHeaders = tabs.at(-1)!.headers;
const storage = createKeeping(keptFor, shopperHeaders);

/**
 * The tab that is open at first. The library would look for what its editors held last; that is kept a moment later than the tabs, so that a reload in
 * between would find it in none of them and add one.
 */
function firstTab(): Partial<Tab> {
  const kept = storage.getItem('graphiql:tabState');
  if (kept === null) return { headers: tabs[0]!.headers };
  const state = JSON.parse(kept) as { tabs: Record<keyof Tab, string | null>[]; activeTabIndex: number };
  const { query, variables, headers } = state.tabs[state.activeTabIndex]!;
  return { query: query ?? '', variables: variables ?? '', headers: headers ?? '' };
}

const root = document.querySelector<HTMLElement>('#app')!;

createRoot(root).render(
  createElement(
    GraphiQL,
    {
      fetcher,
      storage,
      defaultTabs: tabs,
      ...firstTab(),
      defaultHeaders: shopperHeaders,
      defaultQuery: '',
      // On a phone the query needs the room; a tap on their names opens them.
      defaultEditorToolsVisibility: matchMedia('(max-width: 760px)').matches ? false : 'headers',
      // Where they are kept is the storage's to say.
      shouldPersistHeaders: true,
      showPersistHeadersSettings: false,
      forcedTheme: 'system',
      maxHistoryLength: 50,
    },
    createElement(GraphiQL.Logo, null, ''),
  ),
);
putRight(root);
