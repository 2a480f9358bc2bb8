// Mercurius with graphql-jit, its loaders and pg.
import fastify from 'fastify';
import mercurius from 'mercurius';
import { scalars, typeDefs } from './schema.mjs';
import { headerCredentials, identify, listenOptions, readItems, readLists } from './shared.mjs';

const app = fastify();
app.get('/readyz', async () => ({ status: 'ready' }));

function requireShopper({ shopper }) {
  if (shopper === null) throw new mercurius.ErrorWithProps('Unauthorised');
  return shopper;
}

app.register(mercurius, {
  schema: typeDefs,
  jit: 1,
  context: async (request) => ({ shopper: await identify(headerCredentials(request.headers)) }),
  resolvers: {
    ...scalars,
    Query: { allLists: (_root, _args, context) => readLists(requireShopper(context)) },
  },
  loaders: {
    List: {
      listcontents: {
        loader: async (queries, context) => {
          const items = await readItems(requireShopper(context));
          return queries.map(({ obj }) => items.get(obj.lid) ?? []);
        },
        opts: { cache: false },
      },
    },
  },
});

await app.listen(listenOptions);
process.on('SIGTERM', () => process.exit(0));
