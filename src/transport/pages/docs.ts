import type { Express } from 'express';
import type { GraphQLSchema } from 'graphql';
import { createOpenApi } from '../../openapi/document.ts';
import { nameRoute } from '../access-log.ts';
import { routes } from '../rest/routes.ts';
import { makeAsset, sendAsset } from './assets.ts';
import type { Asset } from './assets.ts';
import { createPage } from './page.ts';

const BODY = `
<header class="bar">
  <a class="brand" href="/">wishgate</a>
  <nav aria-label="Pages">
    <a href="/docs" aria-current="page">API reference</a>
    <a href="/graphiql">GraphiQL</a>
    <a href="/docs/openapi.json">openapi.json</a>
  </nav>
</header>
<main id="app"></main>`;

/** Serves the API reference and the document behind it. */
export function serveDocs(app: Express, schema: GraphQLSchema): void {
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
    createPage('/docs', {
      bundle: 'docs',
      title: 'API reference · wishgate',
      description: 'Every REST call of wishgate, with its fields, answers and failures.',
      body: BODY,
    }),
  );
}
