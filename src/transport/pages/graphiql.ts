import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { DemoStore } from '../../demo/demo.ts';
import { nameRoute } from '../access-log.ts';
import { makeAsset, sendAsset } from './assets.ts';
import type { Asset } from './assets.ts';
import { securePage } from './page.ts';

const FIRST_QUERY = `# Every type and field explains itself:
# open the docs on the left.
#
# Credentials go into the Headers tab below.
# Store calls: Basic base64(pid:key).
# Shopper calls: x-pid, x-regid and x-sessionid.

query Store {
  store {
    pid
    name
    listTypes
  }
}
`;

/** What stands there where the operator lets no other documents run. */
const CLOSED = `# This service runs trusted documents only:
# whatever is typed here is refused, and so is
# reading the schema. See TRUSTED_DOCUMENTS.
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

/** Headers for the demo store, so that the first click works; a real store's are never on a page. */
function demoHeaders(demo: DemoStore | null): string {
  if (demo === null) return '{}';
  const authorization = `Basic ${Buffer.from(`${demo.pid}:${demo.apiKey}`).toString('base64')}`;
  return JSON.stringify({ authorization }, null, 2);
}

/** Loads the package at the first call: it is 9 MB of source. */
async function renderPage(demo: DemoStore | null, isClosed: boolean): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  return renderGraphiQL({
    title: 'wishgate GraphiQL',
    endpoint: '/graphql',
    defaultQuery: isClosed ? CLOSED : FIRST_QUERY,
    headers: demoHeaders(demo),
    shouldPersistHeaders: false,
  }).replace('<div id="root">', `${STRIP}<div id="root">`);
}

/** Hash of the page's one inline script: the policy lets it run and no other. Browsers hash it with plain line ends. */
function scriptHash(page: string): string {
  const start = page.indexOf('<script>') + '<script>'.length;
  const script = page.slice(start, page.indexOf('</script>', start)).replace(/\r\n?/g, '\n');
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
}

/** Serves GraphiQL as one page from the service itself, without any CDN. */
export function createGraphiqlPage(demo: DemoStore | null, isClosed: boolean) {
  let made: Promise<{ asset: Asset; script: string }> | null = null;
  const make = async () => {
    const page = await renderPage(demo, isClosed);
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
