import { createHash } from 'node:crypto';
import type { Express, Request, Response } from 'express';
import { createBackend } from '../../../examples/storefront/backend.mjs';
import { createRoutes } from '../../../examples/storefront/routes.mjs';
import type { Services } from '../../context.ts';
import { findVariants, writeProducts, writeStock } from '../../stores/catalogue/catalog.service.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';
import { readOutbox } from '../../web/demo-store/outbox.ts';
import { picture } from '../../web/demo-store/pictures.ts';
import { DEMO_PRODUCTS } from '../../web/demo-store/products.ts';
import type { DemoProduct } from '../../web/demo-store/products.ts';
import { fail } from '../../platform/errors.ts';
import { nameRoute } from '../access-log.ts';
import { ownAddress } from '../loopback.ts';
import { readBody } from '../rest/body.ts';
import { makeAsset, sendAsset } from './assets.ts';
import { createPage, securePage } from './page.ts';

const RESTOCKED = 10;
/** What is left of a price that was reduced. */
const REDUCED = 0.8;

/** The shop's calls take JSON only: a page of another site cannot send it without asking first, and is never answered. */
async function readJson(req: Request, res: Response): Promise<Record<string, unknown>> {
  if (!req.is('application/json')) fail('unsupported-content-type', 'Send the body as application/json');
  const text = (await readBody(req, res)).toString('utf8');
  try {
    return (JSON.parse(text || '{}') ?? {}) as Record<string, unknown>;
  } catch {
    return fail('invalid-request', 'The body is not JSON');
  }
}

/** The shop's own back end, from the example that stores can copy. */
function serveBackend(app: Express, { log }: Services, { pid, apiKey }: DemoStore): void {
  // Derived from the key, so that a login survives a restart.
  const secret = createHash('sha256').update(`demo shop ${apiKey}`).digest('hex');
  app.post('/demo/api/:call', async (req, res, next) => {
    const backend = createBackend({ baseUrl: ownAddress(req), pid, apiKey });
    const answer = createRoutes(backend, {
      secret,
      cookiePath: '/demo',
      priceOf: (epi) => DEMO_PRODUCTS.find((product) => String(product.epi) === epi)?.pr.toFixed(2) ?? null,
      currency: 'EUR',
      log: (error) => log.warn({ err: error }, 'a call of the demo shop failed'),
    });
    const body = await readJson(req, res);
    const found = await answer({ method: 'POST', path: req.params.call, cookie: req.headers.cookie, body });
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
    DEMO_PRODUCTS.find((known) => known.epi === epi) ?? fail('not-found', 'The demo shop does not sell this')
  );
}

/** The shop's products with their stock and price of now. */
async function readProducts({ db }: Services, pid: string): Promise<object[]> {
  const all = DEMO_PRODUCTS.map(({ epi }) => String(epi));
  const rows = await findVariants(db, pid, all);
  const stock = new Map(rows.map(({ epi, stk, pr, du }) => [Number(epi), { stk, pr, du }]));
  return DEMO_PRODUCTS.map((product) => ({
    ...product,
    fullPrice: product.pr,
    ...stock.get(product.epi),
    iu: `/demo/images/${product.slug}.svg`,
  }));
}

/** What a visitor of the demo sees behind the counter: stock, prices, and the mails that went out. */
function serveCounter(app: Express, services: Services, { pid }: DemoStore): void {
  const { db, now } = services;
  app.get('/demo/api/products', async (_req, res) => {
    nameRoute(res, '/demo/api/products');
    res.json(await readProducts(services, pid));
  });
  app.post('/demo/api/stock', async (_req, res) => {
    nameRoute(res, '/demo/api/stock');
    const { epi, isInStock } = res.locals['json'] as { epi?: unknown; isInStock?: unknown };
    const product = soldProduct(epi);
    const stk = isInStock === true ? RESTOCKED : 0;
    await db.transaction((tx) => writeStock(tx, pid, [{ epi: String(product.epi), stk }], now()));
    res.json({ epi, stk });
  });
  app.post('/demo/api/price', async (_req, res) => {
    nameRoute(res, '/demo/api/price');
    const { epi, isReduced } = res.locals['json'] as { epi?: unknown; isReduced?: unknown };
    const product = soldProduct(epi);
    const pr = isReduced === true ? Math.round(product.pr * REDUCED * 100) / 100 : product.pr;
    await db.transaction((tx) => writeProducts(tx, pid, [{ epi: String(product.epi), pr }], now()));
    res.json({ epi, pr });
  });
  app.get('/demo/api/outbox', async (_req, res) => {
    nameRoute(res, '/demo/api/outbox');
    res.json(await readOutbox(services, pid));
  });
}

/** Serves the demo storefront; only where the demo store exists, which is never on a public server. */
export function serveDemo(app: Express, services: Services, demo: DemoStore): void {
  app.get('/demo', async (req, res) => {
    // The products come with the page, as in any shop: it shows them before it has asked for a single list. Without them it asks itself.
    const products = await readProducts(services, demo.pid).catch(() => null);
    const page = createPage('/demo', {
      bundle: 'demo',
      title: 'Hearth & Loom · wishgate demo',
      description: 'A small shop with wishlists, save for later and back-in-stock alerts.',
      body: '<div id="app"></div>\n<script src="/client/wishgate.js"></script>',
      data: { pid: demo.pid, products },
    });
    await page(req, res);
  });
  app.get('/demo/images/:file', async (req, res) => {
    nameRoute(res, '/demo/images/:file');
    const svg = picture(req.params.file.replace(/\.svg$/, '')) ?? fail('not-found');
    securePage(res);
    res.setHeader('Cache-Control', 'public, max-age=3600');
    await sendAsset(req, res, makeAsset('image/svg+xml; charset=utf-8', Buffer.from(svg)));
  });
  serveBackend(app, services, demo);
  serveCounter(app, services, demo);
}
