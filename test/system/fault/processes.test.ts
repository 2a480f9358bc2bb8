import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { join } from 'node:path';
import { readConfig } from '../../../src/config.ts';
import { useService } from '../../harness.ts';
import type { StoreAccess, TestShopper } from '../../harness.ts';
import { until } from '../../until.ts';
import { cleanUp, countProcesses, makeUsedDataDir } from './fixtures/embedded-kit.ts';
import {
  besideService,
  demoAuthorization,
  identify,
  runProgram,
  startMain,
} from './fixtures/main-process.ts';
import type { MainProcess } from './fixtures/main-process.ts';

const GATEWAYS = 3;
const WRITERS = 8;
/** Traffic of a few shoppers from one address. */
const MANY = { shopper: 1_000_000, address: 1_000_000, key: 1_000_000 };

const service = useService({});
afterAll(cleanUp);

type Answer = { status: number; body: Record<string, unknown> };

/** One request on a connection of its own, so that any gateway may get it. */
function ask(url: string, headers: Record<string, string> = {}, form?: Record<string, string>) {
  return new Promise<Answer>((resolve, reject) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const options = {
      method: form ? 'POST' : 'GET',
      agent: false,
      headers: { ...type, ...headers },
    } as const;
    request(url, options, (res) => {
      json(res).then((body) => resolve({ status: res.statusCode!, body: body as Answer['body'] }), reject);
    })
      .on('error', reject)
      .end(form && new URLSearchParams(form).toString());
  });
}

const asShopper = (url: string, call: string, { pid, regid, sessionid }: TestShopper, fields = {}) =>
  ask(`${url}/api/v3/lists/${call}?pid=${encodeURIComponent(pid)}`, {}, { regid, sessionid, ...fields });

/** Processes that another one has started. */
async function childrenOf({ child }: MainProcess): Promise<number[]> {
  const text = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** Which gateways have served requests, from the access log. */
const servedBy = (main: MainProcess): Set<number> =>
  new Set([...main.written().matchAll(/"pid":(\d+),"requestId"/g)].map(([, pid]) => Number(pid)));

const isUp = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe(`one service of ${GATEWAYS} processes`, () => {
  let main: MainProcess;
  let url: string;

  beforeAll(async () => {
    main = startMain({
      ...besideService(service),
      PROCESSES: String(GATEWAYS),
      DATABASE_POOL: '4',
      DRAIN_DELAY_MS: '1000',
      RATE_LIMITS: 'on',
      // On a busy machine requests would wait longer than a queue lets them.
      MAX_REQUESTS: '0',
      LOG_LEVEL: 'info',
    });
    url = await main.url;
  });

  test('serves one port by several processes, which the log names', async () => {
    const gateways = await childrenOf(main);
    expect(gateways).toHaveLength(GATEWAYS);
    await until(async () => {
      expect((await ask(`${url}/healthz`)).status).toBe(200);
      return servedBy(main).size > 1;
    });
    expect([...servedBy(main)].filter((pid) => !gateways.includes(pid))).toEqual([]);
  });

  test('a limit of 30 is 30 over all of them, and /metrics of each shows the sum of all', async () => {
    const store = await service.createStore({ rateLimits: { key: 30 } });
    const authorization = `Basic ${btoa(`${store.pid}:${store.apiKey}`)}`;
    const asked = await Promise.all(
      Array.from({ length: 60 }, () => ask(`${url}/storeadmin/me`, { authorization })),
    );
    expect(asked.filter(({ status }) => status === 200)).toHaveLength(30);
    expect(asked.filter(({ status }) => status === 429)).toHaveLength(30);
    const text = await (await fetch(`${url}/metrics`)).text();
    const counts = [200, 429].map((status) =>
      [
        ...text.matchAll(
          new RegExp(`seconds_count\\{route="/storeadmin/me".*status="${status}"\\} (\\d+)`, 'g'),
        ),
      ]
        .map(([, count]) => Number(count))
        .reduce((sum, count) => sum + count, 0),
    );
    expect(counts).toEqual([30, 30]);
    expect(text).toContain(`\nwishgate_gateways ${GATEWAYS}\n`);
  });

  test('a call that waits for changes at one of them hears of a write at another', async () => {
    const shopper = await service.guest(await service.createStore({ rateLimits: MANY }));
    const { body } = await asShopper(url, 'changes', shopper, { wait: '0' });
    const waiting = Array.from({ length: 4 * GATEWAYS }, () =>
      asShopper(url, 'changes', shopper, { since: String(body['rev']) }),
    );
    const created = await asShopper(url, 'create', shopper, { lname: 'Told' });
    for (const { status, body: told } of await Promise.all(waiting))
      expect([status, told['lids']]).toEqual([200, [created.body['lid']]]);
  });

  /** Shoppers who create lists without a pause, each request on a connection of its own. */
  const startWriters = (store: StoreAccess) => {
    const acknowledged = new Set<string>();
    const failures: string[] = [];
    let isOver = false;
    const write = async (): Promise<void> => {
      const shopper = await service.guest(store);
      for (let n = 0; !isOver; n += 1) {
        const lname = `${n} ${shopper.regid}`;
        const answer = await asShopper(url, 'create', shopper, { lname }).catch((error: Error) => error);
        if (answer instanceof Error) failures.push(answer.message);
        else if (answer.status === 200) acknowledged.add(lname);
        else failures.push(`${answer.status} ${JSON.stringify(answer.body)}`);
      }
    };
    const over = Promise.all(Array.from({ length: WRITERS }, write));
    const stop = async (): Promise<void> => {
      isOver = true;
      await over;
    };
    return { acknowledged, failures, stop };
  };

  /** Acknowledged writes that the database does not have. */
  const lost = async ({ pid }: StoreAccess, acknowledged: Set<string>): Promise<string[]> => {
    const sql = 'SELECT lname FROM list WHERE pid = $1';
    const rows = await service.services.db.query<{ lname: string }>(sql, [pid]);
    const kept = new Set(rows.map(({ lname }) => lname));
    return [...acknowledged].filter((lname) => !kept.has(lname));
  };

  test('kill -9 of one under load loses no acknowledged write, the others go on, and it is replaced', async () => {
    const store = await service.createStore({ rateLimits: MANY });
    const before = await childrenOf(main);
    const [killed, ...others] = before;
    const { acknowledged, failures, stop } = startWriters(store);
    await until(() => acknowledged.size > 50);
    process.kill(killed!, 'SIGKILL');
    const then = acknowledged.size;
    await until(() => acknowledged.size > then + 50);
    let replacement: number | undefined;
    await until(async () => {
      const now = await childrenOf(main);
      replacement = now.find((pid) => !before.includes(pid));
      expect(now).toEqual(expect.arrayContaining(others));
      return replacement !== undefined && servedBy(main).has(replacement);
    });
    await stop();
    // Connections to the killed process break; nobody was told that these writes have succeeded.
    expect(failures.filter((text) => !/ECONNRESET|EPIPE|socket hang up|aborted/.test(text))).toEqual([]);
    expect(await lost(store, acknowledged)).toEqual([]);
    expect(main.written()).toContain('"end":"SIGKILL","msg":"A gateway has ended; starting another one"');
  });

  test('SIGTERM under load fails no request until readiness does, and ends all with exit code 0', async () => {
    const store = await service.createStore({ rateLimits: MANY });
    const gateways = await childrenOf(main);
    const { acknowledged, failures, stop } = startWriters(store);
    await until(() => acknowledged.size > 50);
    main.child.kill('SIGTERM');
    // As a load balancer does, they send requests until a gateway says that it is not ready.
    await until(async () => (await ask(`${url}/readyz`)).status === 503);
    await stop();
    expect(failures).toEqual([]);
    expect(await lost(store, acknowledged)).toEqual([]);
    expect((await main.ended).code).toBe(0);
    expect(gateways.filter(isUp)).toEqual([]);
  });
});

describe('the main process', () => {
  afterEach(cleanUp);

  test('starts the bundled database and says so once; after its kill -9 the gateways answer what they have and end, and so does the database', async () => {
    const dataDir = await makeUsedDataDir();
    const main = startMain({ DATA_DIR: dataDir, PROCESSES: '2' });
    const url = await main.url;
    const authorization = await demoAuthorization(dataDir);
    const answer = await identify(url, authorization, randomUUID());
    const { regid, sessionid } = (await answer.json()) as TestShopper;
    const [pid = ''] = atob(authorization.slice('Basic '.length)).split(':');
    const shopper = { pid, regid, sessionid };
    await asShopper(url, 'create', shopper, { lname: 'A' });
    const { body } = await asShopper(url, 'changes', shopper, { wait: '0' });
    const waiting = asShopper(url, 'changes', shopper, { since: String(body['rev']) });
    await until(async () =>
      (await (await fetch(`${url}/metrics`)).text()).includes('\nwishgate_open_streams 1\n'),
    );
    main.child.kill('SIGKILL');
    // It would wait for 25 seconds; a process that just ends would break its connection.
    expect([200, 503]).toContain((await waiting).status);
    // Their output is closed when all of them have ended.
    const { stdout } = await main.ended;
    expect(stdout.match(/wishgate is running at/g)).toHaveLength(1);
    await expect(ask(`${url}/healthz`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await countProcesses(join(dataDir, 'postgres'))).toBe(0);
  });

  test('reports once why gateways do not start, and ends with exit code 1', async () => {
    const env = { ...besideService(service), PROCESSES: '3', TRUSTED_DOCUMENTS: '/nowhere.json' };
    const { code, stdout, stderr } = await runProgram('main', env);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^wishgate did not start: TRUSTED_DOCUMENTS is invalid: [^\n]*\n$/);
  });

  test('reads PROCESSES as a number or auto, and shares the connections of the bundled database', () => {
    const { processes: one, databasePool } = readConfig({});
    expect([one, databasePool]).toEqual([1, 20]);
    const { processes } = readConfig({ PROCESSES: 'auto' });
    expect(processes).toBeGreaterThanOrEqual(1);
    expect(processes).toBeLessThanOrEqual(8);
    expect(readConfig({ PROCESSES: '64' }).databasePool).toBe(2);
    expect(readConfig({ PROCESSES: '4', DATABASE_POOL: '200' }).databasePool).toBe(40);
    const own = { DATABASE_URL: 'postgresql://db.example/w', PROCESSES: '64', DATABASE_POOL: '30' };
    expect(readConfig(own).databasePool).toBe(30);
    for (const wrong of ['0', '65', '2.5', 'all'])
      expect(() => readConfig({ PROCESSES: wrong })).toThrow(
        `PROCESSES=${wrong} is invalid: use auto or a number from 1 to 64`,
      );
  });
});
