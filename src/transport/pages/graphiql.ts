import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { Request, Response } from 'express';
import type { DemoStore } from '../../demo/demo.ts';
import { nameRoute } from '../access-log.ts';

const FIRST_QUERY = `# wishgate speaks GraphQL. Every type and field explains itself: open the docs on the left.
# Store calls need "Authorization: Basic base64(pid:key)", shopper calls "x-pid", "x-regid" and "x-sessionid" (Headers tab).

query Store {
  store {
    pid
    name
    listTypes
  }
}
`;

/** Headers for the demo store, so that the first click works; a real store's are never on a page. */
function demoHeaders(demo: DemoStore | null): string {
  if (demo === null) return '{}';
  const authorization = `Basic ${Buffer.from(`${demo.pid}:${demo.apiKey}`).toString('base64')}`;
  return JSON.stringify({ authorization }, null, 2);
}

/** Serves GraphiQL as one page from the service itself, without any CDN. */
export function createGraphiqlPage(demo: DemoStore | null) {
  const page = renderGraphiQL({
    title: 'wishgate GraphiQL',
    endpoint: '/graphql',
    defaultQuery: FIRST_QUERY,
    headers: demoHeaders(demo),
    shouldPersistHeaders: false,
  });
  return (_req: Request, res: Response): void => {
    nameRoute(res, '/graphiql');
    res.setHeader('Cache-Control', 'no-store');
    res.type('html').send(page);
  };
}
