// The HTTP layer alone. The run fails when wishgate's own is slower than Express as it comes: it was once, and nobody saw it.
import type { Case } from '../bench.ts';
import { contest } from '../contest.ts';
import { entrant, rowsOf } from './reads.ts';

const OURS = "Express behind wishgate's http.ts";

export const bare: Case = {
  name: 'bare',
  title: 'Bare route: GET with a few bytes of JSON',
  async run(bench) {
    const calls = [{ method: 'GET', path: '/readyz' }];
    const contenders = [
      await entrant(bench, 'Express as it comes', 'express', calls),
      await entrant(bench, 'node:http, the limit', 'node-http', calls),
      await entrant(bench, OURS, 'wishgate-bare', calls),
    ];
    const rows = rowsOf(await contest(bench, 'bare', contenders), { [OURS]: { atLeast: 1 } });
    const isSlower = rows.some(({ name, ratio }) => name === OURS && ratio! < 1);
    return {
      unit: 'requests/s',
      rows,
      ...(isSlower && { failure: "wishgate's http.ts is slower than Express as it comes" }),
    };
  },
};
