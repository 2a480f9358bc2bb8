import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBackend } from '../../../examples/storefront/backend.mjs';
import { createRoutes } from '../../../examples/storefront/routes.mjs';
import type { NewStore } from '../../../src/stores/store.service.ts';
import type { TestService } from '../../harness.ts';
import { PAGES } from './compat-pages.ts';

/** A shop of another origin, whose pages were written for the public product: only their script tag is ours. */
export type Shop = { url: string; close: () => Promise<void> };

export async function openShop(service: TestService, store: NewStore): Promise<Shop> {
  const backend = createBackend({ baseUrl: service.url, pid: store.pid, apiKey: store.apiKey });
  const routes = createRoutes(backend, { secret: 'of the shop' });
  const tag = `<script async src="${service.url}/client/compat.js" data-pid="${store.pid}" data-currency="EUR" data-share-url="/shared?lid={lid}"></script>`;

  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url!, 'http://shop.example');
    const answer = async (): Promise<void> => {
      if (req.method === 'GET') {
        const page = PAGES[pathname];
        res.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
        return void res.end(page ? `<!doctype html><title>Shop</title>${tag}\n${page}` : '');
      }
      let text = '';
      for await (const chunk of req) text += String(chunk);
      const found = await routes({
        method: 'POST',
        path: pathname.replace('/api/', ''),
        cookie: req.headers.cookie,
        body: JSON.parse(text || '{}') as object,
      });
      res.setHeader('Set-Cookie', found?.cookies ?? []);
      res.writeHead(found?.status ?? 404, { 'content-type': 'application/json' });
      res.end(JSON.stringify(found?.body ?? {}));
    };
    answer().catch((error: unknown) => res.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
