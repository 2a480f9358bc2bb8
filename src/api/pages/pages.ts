import { readFile } from 'node:fs/promises';
import type { Express, Request } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Services } from '../../context.ts';
import { pictureSchemes } from '../../platform/pictures.ts';
import { ROOT } from '../../platform/places.ts';
import { escapeHtml } from '../../platform/text.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';
import { isLoopbackCall, shownAddress } from '../loopback.ts';
import { printView } from '../graphql/views.ts';
import { createOpenApi } from '../openapi/document.ts';
import { routes } from '../rest/routes.ts';
import { loadAsset, makeAsset, readPublic, serveAsset } from './assets.ts';
import type { Asset } from './assets.ts';
import { serveDemo } from './demo.ts';
import { showDemo, tabsFor } from './graphiql-tabs.ts';
import { landingPage } from './landing.ts';
import { servePage } from './page.ts';
import type { HtmlPage } from './page.ts';

const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#b3305f"/>' +
  '<path d="M16 25S6 19 6 12.4A5.4 5.4 0 0 1 16 9.6a5.4 5.4 0 0 1 10 2.8C26 19 16 25 16 25z" fill="#fff"/></svg>';

const CLIENT_FILES = `<p class="files">Files: <a href="/client/wishgate.js">wishgate.js</a> <a href="/client/wishgate.mjs">wishgate.mjs</a>
<a href="/client/wishgate.d.mts">wishgate.d.mts</a> <a href="/client/elements.mjs">elements.mjs</a> <a href="/client/compat.js">compat.js</a></p>`;

function dashboardPage({ config: { publicUrl } }: Services): HtmlPage {
  const pictures = pictureSchemes(publicUrl);
  return {
    bundle: 'dashboard',
    title: 'Dashboard · wishgate',
    description: 'Demand, alerts, email templates, shoppers and settings of a store.',
    body: '<div id="app"></div>\n<noscript>The dashboard needs JavaScript. Turn it on and reload the page.</noscript>',
    data: { pictures },
    // The preview of an email is a frame without scripts that inherits this policy, and emails have inline styles. Pictures are those
    // of products and the logo.
    csp: { 'style-src': "'self' 'unsafe-inline'", 'img-src': `'self' data: ${pictures.join(' ')}` },
  };
}

async function graphiqlPage(req: Request, services: Services, demo: DemoStore | null): Promise<HtmlPage> {
  const shown = demo && (await showDemo(req, services, demo));
  return {
    bundle: 'graphiql',
    title: 'GraphiQL · wishgate',
    description: 'Write and run GraphQL queries, with the schema’s documentation.',
    body: `<main><h1 class="visually-hidden">GraphiQL</h1><div id="app"><p class="wait">Loading GraphiQL…</p></div></main>
<noscript>GraphiQL needs JavaScript. Turn it on and reload the page.</noscript>`,
    // Stored tabs belong to this store: another one starts with its own.
    data: { tabs: tabsFor(shown, services.config.trustedDocuments !== null), keptFor: shown?.demo.pid ?? '' },
    // GraphiQL's menus insert style elements.
    csp: { 'style-src': "'self' 'unsafe-inline'" },
    isSecret: shown !== null,
  };
}

/** The manual docs/client.md with the URL of this service in its examples. */
async function clientPage(req: Request, { config }: Services, demo: DemoStore | null): Promise<HtmlPage> {
  const manual = await readPublic('client.html');
  const pid = demo?.pid ?? 'YOUR_PID';
  const text = manual
    .replaceAll('http://127.0.0.1:4000', escapeHtml(shownAddress(req, config)))
    .replaceAll('YOUR_PID', escapeHtml(pid))
    .replace('</h1>', `</h1>${CLIENT_FILES}`);
  return {
    bundle: 'client',
    title: 'Browser library · wishgate',
    description: 'One script tag for your storefront: lists, save for later and alerts.',
    body: `<main>${text}</main>`,
    isSecret: demo !== null,
  };
}

function docsPage(_req: Request, { config }: Services, demo: DemoStore | null): HtmlPage {
  return {
    bundle: 'docs',
    title: 'API reference · wishgate',
    description: 'Every REST call and GraphQL operation of wishgate with its fields, errors and samples.',
    body: `<div id="app"><p class="waiting">The API reference needs JavaScript. Without it, read <a href="/docs/openapi.json">openapi.json</a>.</p></div>`,
    data: { address: config.publicUrl, demo },
    isSecret: demo !== null,
  };
}

function serveFiles(app: Express, schema: GraphQLSchema): void {
  const icon = makeAsset('image/svg+xml; charset=utf-8', Buffer.from(FAVICON));
  const iconCache = { 'Cache-Control': 'public, max-age=86400' };
  serveAsset(app, '/favicon.svg', iconCache, () => icon);
  // Browsers request it wherever a page links no icon.
  serveAsset(app, '/favicon.ico', iconCache, async () =>
    makeAsset('image/x-icon', await readFile(new URL('dist/api/pages/favicon.ico', ROOT))),
  );
  const everywhere = { 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' };
  /** Makes the text at its first request. */
  const serveText = (route: string, type: string, make: () => string): void => {
    let asset: Asset | null = null;
    const load = (): Asset => (asset ??= makeAsset(`${type}; charset=utf-8`, Buffer.from(make())));
    serveAsset(app, route, everywhere, load);
  };
  serveText('/docs/openapi.json', 'application/json', () => JSON.stringify(createOpenApi(schema, routes)));
  for (const view of ['storefront', 'store'] as const)
    serveText(`/schema/${view}.graphql`, 'text/plain', () => printView(schema, view));
  // The name holds a hash of the content, so it never changes.
  const forever = { 'Cache-Control': 'public, max-age=31536000, immutable' };
  serveAsset(app, '/assets/:file', forever, (file) => loadAsset('assets', file));
  // Any store may load it, also a page that is isolated from other origins.
  const shared = { 'Cache-Control': 'public, max-age=300', 'Cross-Origin-Resource-Policy': 'cross-origin' };
  serveAsset(app, '/client/:file', shared, (file) => loadAsset('client', file));
}

export function servePages(
  app: Express,
  services: Services,
  schema: GraphQLSchema,
  demo: DemoStore | null,
): void {
  const pages = { '/': landingPage, '/graphiql': graphiqlPage, '/client': clientPage, '/docs': docsPage };
  for (const [route, make] of Object.entries(pages))
    servePage(app, route, async (req) => {
      // Only a browser on the same machine gets the demo store's key.
      const shown = isLoopbackCall(req, services.config) ? demo : null;
      return { ...(await make(req, services, shown)), bar: { hasDemo: services.config.demo } };
    });
  servePage(app, '/dashboard', () => dashboardPage(services));
  if (demo) serveDemo(app, services, demo);
  serveFiles(app, schema);
}
