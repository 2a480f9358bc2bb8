// Apollo Server as it comes, on Express as it comes, with Prisma's `include`: what wishgate's own stack is without its tuning.
import { createRequire } from 'node:module';
import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express from 'express';
// wishgate's own Prisma client, so that it is the same schema and engine.
import { PrismaClient } from '../../dist/generated/prisma/client.js';
import { scalars, typeDefs } from './schema.mjs';
import { headerCredentials, identify, listenOptions } from './shared.mjs';

const { PrismaPg } = createRequire(new URL('../../package.json', import.meta.url))('@prisma/adapter-pg');
const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL, max: 20 }),
});

function requireShopper({ shopper }) {
  if (shopper === null) throw new Error('Unauthorised');
  return shopper;
}

const live = (field) => (item) => item.product?.[field] ?? item[field];

const server = new ApolloServer({
  typeDefs,
  resolvers: {
    ...scalars,
    Query: {
      allLists: async (_root, _args, context) => {
        const { pid, regid } = requireShopper(context);
        const lists = await prisma.list.findMany({
          where: { pid, regid, st: 1 },
          orderBy: { seq: 'desc' },
          include: { items: { orderBy: { seq: 'desc' }, take: 10 } },
        });
        const epis = lists.flatMap(({ items }) => items.map(({ epi }) => epi));
        const products = await prisma.product.findMany({ where: { pid, epi: { in: epis } } });
        const byVariant = new Map(products.map((product) => [product.epi, product]));
        return lists.map(({ items, ...list }) => ({
          ...list,
          listcontents: items.map((item) => ({
            ...item,
            product: item.lity === null ? byVariant.get(item.epi) : undefined,
          })),
        }));
      },
    },
    Item: { du: live('du'), dt: live('dt'), pr: live('pr'), iu: live('iu') },
  },
});
await server.start();

const app = express();
app.get('/readyz', (_req, res) => void res.json({ status: 'ready' }));
app.use(
  '/graphql',
  express.json(),
  expressMiddleware(server, {
    context: async ({ req }) => ({ shopper: await identify(headerCredentials(req.headers)) }),
  }),
);
app.listen(listenOptions.port, listenOptions.host);
process.on('SIGTERM', () => process.exit(0));
