// Subscribing to alerts, beside the same statements written by hand.
import type { Case } from '../bench.ts';
import { SHOPPERS, compare, contest } from '../contest.ts';
import { ask, storeCall } from '../load.ts';
import type { Call } from '../load.ts';
import { withScratchStore } from '../scratch-store.ts';
import { entrant, rowsOf } from './reads.ts';

/** More than any contender does in a round: each subscription is a new one. */
const CALLS_A_SECOND = 5_000;
const PRODUCTS = 20;

export const subscribe: Case = {
  name: 'subscribe',
  title: 'REST subscriptions/create: one contact, one product, one topic',
  run: (bench) =>
    withScratchStore(bench.data.db, async (store) => {
      const products = Array.from({ length: PRODUCTS }, (_, n) => ({
        epi: 900 + n,
        empi: 9_000 + n,
        du: `https://shop.example/products/${n}`,
        dt: `Product ${n}`,
        stk: 0,
      }));
      const { port } = await bench.servers.start('wishgate');
      await ask(
        port,
        storeCall('/storeadmin/v3/products/upsert', store, { products: JSON.stringify(products) }),
      );
      const count = Math.max(SHOPPERS, Math.ceil((bench.roundMs / 1_000) * CALLS_A_SECOND));
      const calls =
        (who: string) =>
        (round: number): Call[] =>
          Array.from({ length: count }, (_, n) => {
            const { epi, empi, du } = products[n % PRODUCTS]!;
            return storeCall('/storeadmin/bispa/subscriptions/create', store, {
              medium: 'email',
              mediumvalue: `${who}-${round}-${n}@example.com`,
              products: JSON.stringify([{ epi, empi, du }]),
              topics: '["backinstock"]',
            });
          });
      const contenders = [
        await entrant(bench, 'Fastify + pg, same rows written', 'fastify', calls('fastify')),
        await entrant(bench, 'wishgate', 'wishgate', calls('wishgate')),
      ];
      await compare(contenders);
      const scores = await contest(bench, 'subscribe', contenders);
      return { unit: 'requests/s', rows: rowsOf(scores, { wishgate: { atLeast: 1 } }) };
    }),
};
