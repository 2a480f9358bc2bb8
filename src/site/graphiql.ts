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
const isFirstTime = storage.getItem('graphiql:tabState') === null;
const root = document.querySelector<HTMLElement>('#app')!;

createRoot(root).render(
  createElement(
    GraphiQL,
    {
      fetcher,
      storage,
      defaultTabs: tabs,
      // The tab that is open at first takes its headers from here, and not from what was kept.
      headers: isFirstTime ? tabs[0]!.headers : undefined,
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
