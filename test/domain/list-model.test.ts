import { randomUUID } from 'node:crypto';
import { fc } from '../chance.ts';
import { useService } from '../harness.ts';
import { inFull } from '../tier.ts';
import { anyStep, compare, createClient } from './fixtures/list-client.ts';
import type { Client, Step } from './fixtures/list-client.ts';

const RUNS = 3;
const CLIENTS = 6;
const STEPS = inFull(130, 10);

const service = useService();

beforeAll(async () => {
  // Every reading of the clock is later than the one before, so that the newer of two writes is known to the model.
  let time = Date.UTC(2030, 0, 1);
  service.setClock(() => new Date((time += 1)));
});

/** Lists whose counters differ from their rows, and variants that are there twice. */
function faultsOf(pid: string): Promise<unknown[]> {
  return service.services.db.query(
    `SELECT l.lid FROM list l LEFT JOIN item i ON i.pid = l.pid AND i.lid = l.lid WHERE l.pid = $1 GROUP BY l.pid, l.lid
     HAVING l.cnt <> count(i.epi) OR l.itemcmnts <> count(i.note) OR count(DISTINCT i.epi) <> count(i.epi)`,
    [pid],
  );
}

/** The names in an account's own list of lists, without those of other clients. */
async function namesOf({ account, prefix }: Client): Promise<string[]> {
  const { body } = await service.post('/api/v3/lists/fetch-user-lists', {}, { shopper: account }).expect(200);
  return body.data
    .map(({ lname }: { lname: string }) => lname)
    .filter((lname: string) => lname.startsWith(`${prefix} `));
}

/** Each client does its steps one after another; all clients work at once, three of them on one account. */
async function play(scripts: Step[][]): Promise<void> {
  const store = await service.createStore();
  const shared = `${randomUUID()}@example.com`;
  const clients = await Promise.all(
    scripts.map((_, index) =>
      createClient(
        service,
        store,
        index < scripts.length / 2 ? shared : `${randomUUID()}@example.com`,
        `c${index}`,
      ),
    ),
  );
  await Promise.all(
    clients.map(async (client, index) => {
      for (const step of scripts[index]!) await client.run(step);
      await compare(client, 'guest');
      await client.run({ ...scripts[index]![0]!, action: 'merge' });
    }),
  );
  for (const client of clients) {
    await compare(client);
    // Newest list first, as the model made them.
    const names = client.model.of('account').map(({ lname }) => lname);
    expect(await namesOf(client)).toEqual(names.reverse());
  }
  expect(await faultsOf(store.pid)).toEqual([]);
}

test(`${RUNS * CLIENTS * STEPS} random operations of concurrent clients over REST and GraphQL leave what the model says`, async () => {
  const script = fc.array(anyStep, { minLength: STEPS, maxLength: STEPS });
  const scripts = fc.array(script, { minLength: CLIENTS, maxLength: CLIENTS });
  // Shrinking would repeat thousands of operations that depend on each other, and the counterexample would fill pages.
  const options = { numRuns: RUNS, endOnFailure: true };
  const { failed, errorInstance } = await fc.check(fc.asyncProperty(scripts, play), options);
  if (failed) throw new Error('The service and the model differ', { cause: errorInstance });
});
