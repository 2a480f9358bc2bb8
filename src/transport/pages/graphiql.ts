import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Services } from '../../context.ts';
import type { DemoStore } from '../../demo/demo.ts';
import { ensureDemoShopper } from '../../demo/shopper.ts';
import { nameRoute } from '../access-log.ts';
import { makeAsset, sendAsset } from './assets.ts';
import type { Asset } from './assets.ts';
import { securePage } from './page.ts';

const STORE = `# Every type and field explains itself:
# open the docs on the left.
#
# Credentials go into the Headers tab below.
# Store calls: Basic base64(pid:key).
# Shopper calls: x-pid, x-regid and x-sessionid;
# a store key with x-regid acts for that shopper.

query Store {
  store {
    pid
    name
    listTypes
  }
  products(first: 3) {
    totalCount
    edges {
      node {
        epi
        dt
        stk
        waiting
        wishlisted
      }
    }
  }
}
`;

const CREATE = `# Each field at the top succeeds or fails for itself.
# Run it twice: the name is taken then, the error says
# so by its type, and the other field is answered all the same.

mutation Create {
  createList(input: { lname: "Made in GraphiQL" }) {
    lid
    lname
  }
  initSaveForLater {
    list {
      lid
      cnt
    }
  }
}
`;

const GRAPH = `# A shopper leads to lists, items and products.

query Wishes {
  shopper {
    isGuest
    lists(first: 5) {
      totalCount
      edges {
        node {
          lid
          lname
          cnt
          items(first: 10) {
            edges {
              node {
                epi
                qty
                product {
                  dt
                  pr
                  stk
                }
              }
            }
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
    saveForLater {
      items {
        epi
      }
    }
    isInLists(epis: [1, 2]) {
      epi
      isInList
    }
  }
}
`;

const WATCH = `# A subscription goes on until it is stopped:
# run it, then run the mutation of the tab before.

subscription Watch {
  lists {
    rev
    lids
    lists {
      lid
      lname
      cnt
    }
  }
}
`;

/** What stands there where the operator lets only some documents run. */
const CLOSED = `# Without a store key this service runs
# trusted documents only (TRUSTED_DOCUMENTS):
# anything else that is typed here is refused.

`;

/** GraphiQL takes the whole window, so the way to the other pages gets a strip above it. */
const STRIP = `<style>
  body { display: flex; flex-direction: column; height: 100vh; margin: 0; }
  #root { flex: 1; height: auto; min-height: 0; }
  #root .graphiql-container, #root .graphiql-sidebar, #root .graphiql-main { height: 100%; min-height: 0; }
  .graphiql-container > * { max-height: 100%; }
  .doors { display: flex; gap: 1.25rem; padding: 0.4rem 1rem; font: 14px/1.6 system-ui, sans-serif; color-scheme: light dark; background: Canvas; }
  .doors a { color: inherit; color: LinkText; text-decoration: none; }
  .doors a:hover { text-decoration: underline; }
</style>
<nav class="doors" aria-label="Pages"><a href="/">wishgate</a><a href="/docs">API reference</a></nav>`;

/** What the page is made for: the demo store with its shopper, where there is one, and whether only trusted documents run. */
type Making = { demo: DemoStore | null; regid: string | null; isClosed: boolean };

/** Headers for the demo store, so that the first click works; a real store's are never on a page. */
function demoHeaders({ demo, regid }: Making): { store: string; shopper: string } {
  if (demo === null) return { store: '{}', shopper: '{}' };
  const authorization = `Basic ${Buffer.from(`${demo.pid}:${demo.apiKey}`).toString('base64')}`;
  const print = (headers: object): string => JSON.stringify(headers, null, 2);
  return { store: print({ authorization }), shopper: print({ authorization, 'x-regid': regid }) };
}

/** Loads the package at the first call: it is 9 MB of source. */
async function renderPage(making: Making): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const headers = demoHeaders(making);
  return renderGraphiQL({
    title: 'wishgate GraphiQL',
    endpoint: '/graphql',
    defaultTabs: [
      { query: (making.isClosed ? CLOSED : '') + STORE, headers: headers.store },
      { query: GRAPH, headers: headers.shopper },
      { query: CREATE, headers: headers.shopper },
      { query: WATCH, headers: headers.shopper },
    ],
    // The tab that is open at first takes its headers from here.
    headers: headers.store,
    shouldPersistHeaders: false,
    method: 'POST',
  }).replace('<div id="root">', `${STRIP}<div id="root">`);
}

/** Hash of the page's one inline script: the policy lets it run and no other. Browsers hash it with plain line ends. */
function scriptHash(page: string): string {
  const start = page.indexOf('<script>') + '<script>'.length;
  const script = page.slice(start, page.indexOf('</script>', start)).replace(/\r\n?/g, '\n');
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
}

/** Serves GraphiQL as one page from the service itself, without any CDN. */
export function createGraphiqlPage(services: Services, demo: DemoStore | null) {
  let made: Promise<{ asset: Asset; script: string }> | null = null;
  const make = async () => {
    const regid = demo && (await ensureDemoShopper(services, demo.pid));
    const page = await renderPage({ demo, regid, isClosed: services.config.trustedDocuments !== null });
    return {
      asset: makeAsset('text/html; charset=utf-8', Buffer.from(page)),
      script: scriptHash(page),
    };
  };
  return async (req: Request, res: Response): Promise<void> => {
    nameRoute(res, '/graphiql');
    made ??= make();
    const { asset, script } = await made;
    // Its editor makes style elements and starts workers from blobs.
    securePage(res, {
      'script-src': `'self' ${script}`,
      'style-src': "'self' 'unsafe-inline'",
      'font-src': "'self' data:",
      'worker-src': "'self' blob:",
    });
    res.setHeader('Cache-Control', demo === null ? 'no-cache' : 'no-store');
    await sendAsset(req, res, asset);
  };
}
