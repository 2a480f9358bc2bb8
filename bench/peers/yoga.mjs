// GraphQL Yoga with graphql-jit and pg; one loader a request, as its documentation has it.
import { createServer } from 'node:http';
import { useGraphQlJit } from '@envelop/graphql-jit';
import { createSchema, createYoga } from 'graphql-yoga';
import { scalars, typeDefs } from './schema.mjs';
import { headerCredentials, identify, listenOptions, readItems, readLists } from './shared.mjs';

function requireShopper({ shopper }) {
  if (shopper === null) throw new Error('Unauthorised');
  return shopper;
}

const yoga = createYoga({
  schema: createSchema({
    typeDefs,
    resolvers: {
      ...scalars,
      Query: {
        allLists: (_root, _args, context) => readLists(requireShopper(context)),
      },
      List: {
        // One statement for all lists of the request.
        listcontents: async ({ lid }, _args, context) => {
          context.items ??= readItems(requireShopper(context));
          return (await context.items).get(lid) ?? [];
        },
      },
    },
  }),
  context: async ({ req }) => ({ shopper: await identify(headerCredentials(req.headers)) }),
  plugins: [useGraphQlJit()],
  logging: false,
  graphiql: false,
  landingPage: false,
  healthCheckEndpoint: '/readyz',
});

createServer(yoga).listen(listenOptions.port, listenOptions.host);
process.on('SIGTERM', () => process.exit(0));
