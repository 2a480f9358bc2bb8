import { Session } from 'node:inspector';
import { createDispatchTasks } from '../../src/alerts/dispatch/dispatcher.ts';
import type { Profiler } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSmtp } from '../alerts/receivers.ts';
import type { TestSmtp } from '../alerts/receivers.ts';
import { seedSubscription, setStock } from '../alerts/kit.ts';
import { startService, useService, useStore } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { item, useAccount } from '../api/list-kit.ts';

// docs/architecture.md tells two stories, a request and an alert, by the names of their files. This runs both and counts the files whose code ran, so
// that a reader can still follow them.

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
const service = useService();
const store = useStore(service);
const client = useAccount(service, store);

const session = new Session();
const post = <Result>(method: string, params?: object): Promise<Result> =>
  new Promise((resolve, reject) =>
    session.post(method, params, (error, result) => (error ? reject(error) : resolve(result as Result))),
  );

beforeAll(async () => {
  session.connect();
  await post('Profiler.enable');
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
});
afterAll(async () => {
  await post('Profiler.stopPreciseCoverage');
  session.disconnect();
});

const take = async (): Promise<Profiler.ScriptCoverage[]> =>
  (await post<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage')).result;

/** The compiler makes functions of each export, which reading it calls: `() => name`, and `() => from[key]` as `get`. */
const isGetter = ({ functionName, ranges: [range] }: Profiler.FunctionCoverage): boolean =>
  [`() => ${functionName}`, functionName === 'get' && '() => from[key]'].some(
    (text) => text && range!.endOffset - range!.startOffset === text.length,
  );

/** Often enough that no timer comes due each time, on the busiest machine. */
const TIMES = [1, 2, 3, 4, 5, 6];

/** The files of src that `work` runs each time; what does not run each time is a timer that came due meanwhile. */
async function filesOf(work: (time: number) => Promise<unknown>): Promise<string[]> {
  const runs: string[][] = [];
  for (const time of TIMES) runs.push(await filesRunBy(() => work(time)));
  return runs[0]!.filter((file) => runs.every((files) => files.includes(file)));
}

/** The files of src whose functions ran meanwhile. */
async function filesRunBy(work: () => Promise<unknown>): Promise<string[]> {
  await take();
  await work();
  const ran = (await take()).filter(({ functions }) =>
    functions.some((one) => one.ranges[0]!.count > 0 && !isGetter(one)),
  );
  const files = ran
    .map(({ url }) => url)
    .filter((url) => url.startsWith('file:'))
    .map((url) => relative(SRC, fileURLToPath(url)))
    .filter((file) => !file.startsWith('..') && !file.startsWith('generated'));
  return [...new Set(files)].sort();
}

test('update-ctx runs the code of at most 45 files', async () => {
  const { lid } = await client.create('Followed');
  await client.ok('lists/update-ctx', { lid, a: [item(1)] });
  const files = await filesOf((time) => client.ok('lists/update-ctx', { lid, a: [item(1 + time)] }));
  expect(files).toContain('api/request.ts');
  expect(files.length > 45 ? files : []).toEqual([]);
});

describe('an alert', () => {
  let smtp: TestSmtp;
  let sending: TestService;
  beforeAll(async () => {
    smtp = await startSmtp();
    const email = { smtpUrl: smtp.url, from: 'alerts@store.example', connections: 3, dkim: null };
    sending = await startService({ channels: { email } });
  });
  afterAll(async () => {
    await sending.close();
    await smtp.close();
  });

  test('runs the code of at most 65 files, from the change of stock to the mail', async () => {
    const shop = await sending.createStore();
    const restock = async (epi: string): Promise<void> => {
      await setStock(sending, shop, epi, 0);
      await seedSubscription(sending, shop, { epi, value: `${epi}@example.com` });
    };
    await restock('1');
    await setStock(sending, shop, '1', 5);
    await sending.runTasks();
    const tasks = createDispatchTasks(sending.services);
    for (const time of TIMES) await restock(String(1 + time));
    const files = await filesOf(async (time) => {
      await setStock(sending, shop, String(1 + time), 5);
      for (const task of tasks) await task.run();
    });
    for (const task of tasks) task.close?.();
    expect(smtp.received.map(({ to }) => to)).toEqual([0, ...TIMES].map((time) => `${1 + time}@example.com`));
    expect(files.length > 65 ? files : []).toEqual([]);
  });
});
