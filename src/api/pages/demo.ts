import { createHash } from 'node:crypto';
import type { Express } from 'express';
import { createBackend } from '../../../examples/storefront/backend.mjs';
import { createRoutes } from '../../../examples/storefront/routes.mjs';
import type { Services } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { findProducts, writeProducts, writeStock } from '../../stores/catalogue/catalog.service.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';
import { readOutbox } from '../../web/demo-store/outbox.ts';
import { picture } from '../../web/demo-store/pictures.ts';
import { DEMO_PRODUCTS } from '../../web/demo-store/products.ts';
import type { DemoProduct } from '../../web/demo-store/products.ts';
import { nameRoute } from '../access-log.ts';
import { ownAddress } from '../loopback.ts';
import { readJsonBody } from '../rest/body.ts';
import { makeAsset, sendAsset } from './assets.ts';
import { securePage, servePage } from './page.ts';

const RESTOCKED = 10;
const REDUCED_PERCENT = 80;

/** The shop's back end, made of the example that stores can copy. */
function serveBackend(app: Express, { log }: Services, { pid, apiKey }: DemoStore): void {
  // Derived from the key, so that a login survives a restart.
  const secret = createHash('sha256').update(`demo shop ${apiKey}`).digest('hex');
  app.post('/demo/api/:call', async (req, res, next) => {
    const backend = createBackend({ baseUrl: ownAddress(req), pid, apiKey });
    const respond = createRoutes(backend, {
      secret,
      cookiePath: '/demo',
      priceOf: (epi) => DEMO_PRODUCTS.find((product) => String(product.epi) === epi)?.pr.toFixed(2) ?? null,
      currency: 'EUR',
      log: (error) => log.warn({ err: error }, 'Demo shop request failed'),
    });
    const body = ((await readJsonBody(req, res)) ?? {}) as Record<string, unknown>;
    const found = await respond({ method: 'POST', path: req.params.call, cookie: req.headers.cookie, body });
    if (found === null) {
      res.locals['json'] = body;
      return next();
    }
    nameRoute(res, '/demo/api/:call');
    for (const cookie of found.cookies) res.append('Set-Cookie', cookie);
    res.status(found.status).json(found.body);
  });
}

function soldProduct(epi: unknown): DemoProduct {
  return (
    DEMO_PRODUCTS.find((known) => known.epi === epi) ??
    fail('not-found', "The demo shop doesn't sell this product")
  );
}

async function readProducts({ db }: Services, pid: string): Promise<object[]> {
  const all = DEMO_PRODUCTS.map(({ epi }) => String(epi));
  const rows = await findProducts(db, pid, all);
  const stock = new Map(rows.map(({ epi, stk, pr, du }) => [Number(epi), { stk, pr, du }]));
  return DEMO_PRODUCTS.map((product) => ({
    ...product,
    fullPrice: product.pr,
    ...stock.get(product.epi),
    iu: `/demo/images/${product.image}.svg`,
  }));
}

/** The test panel: stock, prices, and the messages that shoppers received. */
function serveTestPanel(app: Express, services: Services, { pid }: DemoStore): void {
  const { db, now } = services;
  type Run = (body: Record<string, unknown>) => Promise<object>;
  const serve = (method: 'get' | 'post', path: string, run: Run) =>
    app[method](path, async (_req, res) => {
      nameRoute(res, path);
      res.json(await run(res.locals['json'] as Record<string, unknown>));
    });
  serve('get', '/demo/api/products', () => readProducts(services, pid));
  serve('get', '/demo/api/outbox', () => readOutbox(services, pid));
  serve('post', '/demo/api/stock', async ({ epi, isInStock }) => {
    const product = soldProduct(epi);
    const stk = isInStock === true ? RESTOCKED : 0;
    await db.transaction((tx) => writeStock(tx, pid, [{ epi: String(product.epi), stk }], now()));
    return { epi, stk };
  });
  serve('post', '/demo/api/price', async ({ epi, isReduced }) => {
    const product = soldProduct(epi);
    const cents = Math.round(product.pr * 100);
    const pr = isReduced === true ? Math.round((cents * REDUCED_PERCENT) / 100) / 100 : product.pr;
    await db.transaction((tx) => writeProducts(tx, pid, [{ epi: String(product.epi), pr }], now()));
    return { epi, pr };
  });
}

/** Serves the demo storefront; only where the demo store exists, which is never on a public server. */
export function serveDemo(app: Express, services: Services, demo: DemoStore): void {
  servePage(app, '/demo', async () => ({
    bundle: 'demo',
    title: 'Hearth & Loom · wishgate demo',
    description: 'A small shop with wishlists, save for later and back-in-stock alerts.',
    body: '<div id="app"></div>\n<script type="module" src="/client/elements.mjs"></script>',
    // An email in the outbox is a frame without scripts that inherits this policy, and emails have inline styles.
    csp: { 'style-src': "'self' 'unsafe-inline'" },
    // The page shows its products before its first request; without them it requests them.
    data: { pid: demo.pid, products: await readProducts(services, demo.pid).catch(() => null) },
  }));
  app.get('/demo/images/:file', async (req, res) => {
    nameRoute(res, '/demo/images/:file');
    const svg = picture(req.params.file.replace(/\.svg$/, '')) ?? fail('not-found');
    securePage(res);
    // Emails show them, and webmail has another origin.
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    res.setHeader('Cache-Control', 'public, max-age=3600');
    await sendAsset(req, res, makeAsset('image/svg+xml; charset=utf-8', Buffer.from(svg)));
  });
  serveBackend(app, services, demo);
  serveTestPanel(app, services, demo);
}
