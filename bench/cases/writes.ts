// Writes, beside the same transactions written by hand.
import type { BenchShopper } from '../data.ts';
import type { Case } from '../bench.ts';
import { compare, contest } from '../contest.ts';
import { ask, shopperCall } from '../load.ts';
import type { Call } from '../load.ts';
import { entrant, loadShoppers, rowsOf } from './reads.ts';

type Item = { epi: number; empi: number; du: string; qty: number };

/** What differs from call to call: when it was, and which of them. */
function withoutTimes(answer: unknown): unknown {
  const {
    uts: _uts,
    version: _version,
    a,
    ...rest
  } = answer as {
    uts: number;
    version: number;
    a: { uts: number }[];
  };
  return { ...rest, a: a.map(({ uts: _itemUts, ...item }) => item) };
}

const setItem = (shopper: BenchShopper, item: Item): Call =>
  shopperCall('/api/v3/lists/update-ctx', shopper, { lid: shopper.lid, a: JSON.stringify([item]) });

/** REST update-ctx. */
export const write: Case = {
  name: 'write',
  title: 'REST update-ctx: one item set',
  async run(bench) {
    const shoppers = loadShoppers(bench);
    const { port } = await bench.servers.start('wishgate');
    const items: Item[] = [];
    // One after the other: of 200 calls at once a process that has just started refuses some.
    for (const shopper of shoppers) {
      const [list] = (await ask(port, shopperCall('/api/v3/lists/fetch-lists', shopper))) as [
        { listcontents: Item[] },
      ];
      const { epi, empi, du } = list.listcontents[0]!;
      items.push({ epi, empi, du, qty: 1 });
    }
    // Two quantities in turn, so that every write changes something.
    const calls = [1, 2].flatMap((qty) =>
      shoppers.map((shopper, n) => setItem(shopper, { ...items[n]!, qty })),
    );
    const contenders = [
      await entrant(bench, 'Fastify + pg, same transaction', 'fastify', calls),
      await entrant(bench, 'wishgate', 'wishgate', calls),
    ];
    await compare(contenders, withoutTimes);
    const scores = await contest(bench, 'write', contenders);
    return { unit: 'requests/s', rows: rowsOf(scores, { wishgate: { atLeast: 1.2 } }) };
  },
};
