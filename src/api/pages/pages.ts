import type { Express } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Services } from '../../context.ts';
import { pictureSchemes } from '../../platform/pictures.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';
import { nameRoute } from '../access-log.ts';
import { loadAsset, sendAsset } from './assets.ts';
import { createClientPage } from './client.ts';
import { serveDemo } from './demo.ts';
import { serveDocs } from './docs.ts';
import { serveFavicon } from './favicon.ts';
import { createGraphiqlPage } from './graphiql.ts';
import { createLandingPage } from './landing.ts';
import { createPage } from './page.ts';
import type { HtmlPage } from './page.ts';

const YEAR_SECONDS = 31_536_000;
const CLIENT_SECONDS = 300;

function dashboardPage({ config: { publicUrl } }: Services): HtmlPage {
  const pictures = pictureSchemes(publicUrl);
  return {
    bundle: 'dashboard',
    title: 'Merchant dashboard · wishgate',
    description: 'Figures, alerts, templates, settings and shoppers of a store.',
    body: '<div id="app"></div>\n<noscript>The dashboard needs JavaScript.</noscript>',
    data: { pictures },
    // The preview of an email is a frame without scripts that inherits this policy, and emails have inline styles. Pictures are those
    // of products and the logo.
    csp: { 'style-src': "'self' 'unsafe-inline'", 'img-src': `'self' data: ${pictures.join(' ')}` },
  };
}

export function servePages(
  app: Express,
  services: Services,
  schema: GraphQLSchema,
  demo: DemoStore | null,
): void {
  app.get('/', createLandingPage(services, demo));
  app.get('/dashboard', createPage('/dashboard', dashboardPage(services)));
  app.get('/graphiql', createGraphiqlPage(services, demo));
  app.get('/client', createClientPage(services, demo));
  serveFavicon(app);
  serveDocs(app, services, schema, demo);
  if (demo) serveDemo(app, services, demo);

  app.get('/assets/:file', async (req, res) => {
    nameRoute(res, '/assets/:file');
    const asset = await loadAsset('assets', req.params.file);
    nameRoute(res, '/assets/:file', req.path);
    // The name holds a hash of the content, so it never changes.
    res.setHeader('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`);
    await sendAsset(req, res, asset);
  });
  app.get('/client/:file', async (req, res) => {
    nameRoute(res, '/client/:file');
    const asset = await loadAsset('client', req.params.file);
    nameRoute(res, '/client/:file', req.path);
    res.setHeader('Cache-Control', `public, max-age=${CLIENT_SECONDS}`);
    // Any store may load it, also a page that is isolated from other origins.
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    await sendAsset(req, res, asset);
  });
}
