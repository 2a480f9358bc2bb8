// Identifying visitors: a guest leaves nothing, an account gets its row.
import { randomUUID } from 'node:crypto';
import type { Case } from '../bench.ts';
import { contest } from '../contest.ts';
import { storeCall } from '../load.ts';
import type { Call } from '../load.ts';
import { withScratchStore } from '../scratch-store.ts';
import { entrant, rowsOf } from './reads.ts';

/** More than the service does in a round: each visitor is a new one. */
const CALLS_A_SECOND = 10_000;

export const identify: Case = {
  name: 'identify',
  title: 'Identification of new guests, compared with new accounts',
  run: (bench) =>
    withScratchStore(bench.data.db, async (store) => {
      const calls = (visitor: () => Record<string, string>) => (): Call[] =>
        Array.from({ length: Math.ceil((bench.roundMs / 1_000) * CALLS_A_SECOND) }, () =>
          storeCall('/storeadmin/v3/user/generate-regid', store, { ...visitor(), useragenttype: 'bench' }),
        );
      const accounts = calls(() => ({ useremail: `${randomUUID()}@example.com` }));
      const guests = calls(() => ({ uuid: randomUUID() }));
      const scores = await contest(bench, 'identify', [
        await entrant(bench, 'wishgate, an account: one row', 'wishgate', accounts),
        await entrant(bench, 'wishgate, a guest: no row', 'wishgate', guests),
      ]);
      return { unit: 'requests/s', rows: rowsOf(scores, { 'wishgate, a guest: no row': { atLeast: 2 } }) };
    }),
};
