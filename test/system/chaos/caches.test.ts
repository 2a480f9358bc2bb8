import { besideService, startMain } from '../fault/fixtures/main-process.ts';
import type { MainProcess } from '../fault/fixtures/main-process.ts';
import { useService } from '../../harness.ts';
import { newGuest } from '../../api/list-kit.ts';
import { PROBED, readHeld } from './probe.ts';

// What anybody with a session can make the service remember takes no more memory than its limits say.

/** For what else changes in memory meanwhile. */
const NOISE_MB = 6;

const service = useService({});
let main: MainProcess;
let url: string;

beforeAll(async () => {
  const env = { ...besideService(service), RATE_LIMITS: 'off', RESPONSE_CACHE_MB: '4', LOG_LEVEL: 'error' };
  main = startMain(env, 'main', PROBED);
  url = await main.url;
});
afterAll(async () => {
  await main.end();
});

/** How much more memory the process holds after these calls of a guest, who sends eight at a time. */
async function growthBy(count: number, bodyOf: (n: number) => object): Promise<number> {
  const { shopper } = await newGuest(service, await service.createStore());
  const call = async (n: number): Promise<void> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-pid': shopper.pid,
        'x-regid': shopper.regid,
        'x-sessionid': shopper.sessionid,
      },
      body: JSON.stringify(bodyOf(n)),
    });
    expect(await response.json()).toEqual({ data: expect.anything() });
  };
  const callAll = async (from: number, to: number): Promise<void> => {
    let next = from;
    const send = async (): Promise<void> => {
      while (next < to) await call((next += 1));
    };
    await Promise.all(Array.from({ length: 8 }, send));
  };
  // What the process needs to warm up does not count.
  await callAll(0, 200);
  const before = (await readHeld(main)).heapMb;
  await callAll(200, count);
  return (await readHeld(main)).heapMb - before;
}

test('responses, each sent twice: 4 MB', async () => {
  // Each is 10 kB, so that the calls make 13 MB.
  const query = `{ shopper { ${Array.from({ length: 200 }, (_, n) => `a${n}: regid`).join(' ')} } }`;
  expect(await growthBy(2_000, (n) => ({ query, extensions: { n: n >> 1 } }))).toBeLessThan(4 + NOISE_MB);
});

test('documents that are mostly one comment: 24 MB', async () => {
  const comment = '#'.padEnd(49_900, ' wishes');
  expect(await growthBy(1_000, (n) => ({ query: `{ __typename } ${comment}${n}` }))).toBeLessThan(
    24 + NOISE_MB,
  );
});
