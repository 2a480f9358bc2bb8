// Whether reads stay as they are when there is fifty times as much: 20,000 different shoppers, so that no cache holds them all.
import type { Case, Row } from '../bench.ts';
import { CONNECTIONS, contest } from '../contest.ts';
import type { Contender } from '../contest.ts';
import { shoppersOf } from '../data.ts';
import { rawRequest, shopperCall } from '../load.ts';
import type { Call } from '../load.ts';

const READERS = 20_000;
const READ_ONCE_MS = 20_000;
const GOAL = { atMost: 1.1 };

export const growth: Case = {
  name: 'growth',
  title: 'Growth: first reads of lists at 10,000,000 items against 200,000',
  isFullOnly: true,
  async run(bench) {
    const contenders: (Contender & { calls: readonly Call[] })[] = [];
    for (const name of ['small', 'full'] as const) {
      const { size, url } = await bench.open(name);
      const server = await bench.servers.startApart('wishgate-first', { DATABASE_URL: url });
      const calls = [...shoppersOf(size, READERS)].map((shopper) =>
        shopperCall('/api/v3/lists/fetch-lists', shopper),
      );
      contenders.push({ name, server, calls });
    }
    for (const { name, server, calls } of contenders) {
      // What is compared is reading, not how much of it the system had in memory: each is read once.
      bench.progress.now(`growth: reading all of the ${name} data's shoppers once`);
      await bench.loader.load({
        ...{ port: server.port, requests: calls.map(rawRequest), connections: CONNECTIONS },
        ms: READ_ONCE_MS,
      });
    }
    const [small, full] = await contest(bench, 'growth', contenders);
    await Promise.all(contenders.map(({ server }) => server.stop()));
    const rows = (['p50Ms', 'p99Ms'] as const).flatMap((figure): Row[] => {
      const what = figure.slice(0, 3);
      return [
        { name: `${what} at 200,000 items`, value: small![figure], ratio: 1 },
        {
          name: `${what} at 10,000,000 items`,
          value: full![figure],
          ratio: full![figure] / small![figure],
          goal: GOAL,
        },
      ];
    });
    return { unit: 'ms', rows };
  },
};
