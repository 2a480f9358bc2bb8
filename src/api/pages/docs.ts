import type { Express } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Services } from '../../context.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';
import { nameRoute } from '../access-log.ts';
import { isOwnMachine } from '../loopback.ts';
import { createOpenApi } from '../openapi/document.ts';
import { routes } from '../rest/routes.ts';
import { makeAsset, sendAsset } from './assets.ts';
import type { Asset } from './assets.ts';
import { createPage } from './page.ts';

/** Shown until the script has drawn the page, and to readers without JavaScript. */
const BODY = `<div id="app"><p class="waiting">The reference needs JavaScript. What it shows is in <a href="/docs/openapi.json">openapi.json</a>.</p></div>`;

/** Serves the API reference and the document behind it. The demo store's key is for the machine that runs the service alone. */
export function serveDocs(
  app: Express,
  { config }: Services,
  schema: GraphQLSchema,
  demo: DemoStore | null,
): void {
  let document: Asset | null = null;
  app.get('/docs/openapi.json', async (req, res) => {
    nameRoute(res, '/docs/openapi.json');
    document ??= makeAsset(
      'application/json; charset=utf-8',
      Buffer.from(JSON.stringify(createOpenApi(schema, routes), null, 2)),
    );
    res.setHeader('Cache-Control', 'no-cache');
    res.setHeader('Access-Control-Allow-Origin', '*');
    await sendAsset(req, res, document);
  });
  app.get(
    '/docs',
    createPage('/docs', (req) => {
      const shown = isOwnMachine(req, config) ? demo : null;
      return {
        bundle: 'docs',
        hasBar: true,
        title: 'API reference · wishgate',
        description:
          'Every REST call of wishgate with its fields, answers and failures, ready to run; and guides.',
        body: BODY,
        data: { address: config.publicUrl, demo: shown },
        isSecret: shown !== null,
      };
    }),
  );
}
