import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import supertest from 'supertest';
import { createApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import type { Config } from '../src/config.ts';
import type { Services } from '../src/context.ts';
import { openDatabase } from '../src/platform/database/database.ts';
import { ensureDemoStore } from '../src/web/demo-store/demo.ts';
import type { DemoStore } from '../src/web/demo-store/demo.ts';
import { createTasks } from '../src/alerts/dispatch/dispatcher.ts';
import { createTemplates } from '../src/alerts/compose/template.pool.ts';

import { createStore } from '../src/stores/store.service.ts';
import type { NewStore, StoreSettings } from '../src/stores/store.service.ts';
import { createLimiter } from '../src/platform/limiter.ts';
import { createLogger } from '../src/platform/log.ts';
import type { Logger } from '../src/platform/log.ts';
import { createHttpServer } from '../src/api/http.ts';
import type { HttpLimits } from '../src/api/http.ts';
import { expectMatchesOpenApi, openApi } from './openapi.ts';
import { createTestDatabase } from './setup/database.ts';
import type { TestDatabase } from './setup/database.ts';

/** Credentials of a shopper, as a client holds them. */
export type TestShopper = { pid: string; regid: string; sessionid: string };

/** What a store calls with. */
export type StoreAccess = Pick<NewStore, 'pid' | 'apiKey'>;

/** Who calls: a store by its key, a shopper by its session, a store for a shopper, or nobody. */
export type Caller = { store?: StoreAccess; shopper?: TestShopper; headers?: Record<string, string> };

/** Form fields; objects are sent as JSON text, as clients do. */
export type Fields = Record<string, string | number | boolean | object | null | undefined>;

/** The whole service over HTTP on a database of its own. */
export type TestService = {
  services: Services;
  database: TestDatabase;
  /** The demo store, when the service was started with `demo: true`. */
  demo: DemoStore | null;
  url: string;
  /** Plain supertest on the running server. */
  http: ReturnType<typeof supertest>;
  /** Gives services another clock. */
  setClock: (read: () => Date) => void;
  /** Stops the clock that services read. */
  setNow: (now: Date) => void;
  /** Gives services the real time again. */
  resetClock: () => void;
  createStore: (settings?: StoreSettings) => Promise<NewStore>;
  guest: (store: StoreAccess, uuid?: string, useragenttype?: string) => Promise<TestShopper>;
  account: (store: StoreAccess, useremail?: string, useragenttype?: string) => Promise<TestShopper>;
  /** Calls a REST path with form fields. */
  post: (path: string, fields: Fields, caller?: Caller) => supertest.Test;
  get: (path: string, caller?: Caller) => supertest.Test;
  /** Runs a GraphQL operation; the answer's body is `{data, errors}`. */
  graphql: (query: string, variables?: object, caller?: Caller) => supertest.Test;
  /** Does all background work there is, in this process, and returns when nothing is left. */
  runTasks: () => Promise<void>;
  close: () => Promise<void>;
};

function encodeFields(fields: Fields): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(
      ([name, value]) =>
        [name, typeof value === 'object' ? JSON.stringify(value) : String(value)] as [string, string],
    );
  return new URLSearchParams(pairs).toString();
}

/** An object that a hook fills in, so that tests can name it before it is there. */
export function filledBy<Value extends object>(hook: typeof beforeAll, make: () => Promise<Value>): Value {
  const value = {} as Value;
  hook(async () => void Object.assign(value, await make()));
  return value;
}

/** What a test file may set of the configuration; a function where it is known only when the tests run. */
type Settings = Partial<Config> | (() => Partial<Config>);

declare global {
  /** Closes what the test files of this process share; the end of the run calls it. */
  var closeShared: (() => Promise<void>) | undefined;
}

/** Keeps something for all test files of this process, until the run ends. */
export function shareUntilEnd(close: () => Promise<void>): void {
  const others = globalThis.closeShared;
  globalThis.closeShared = async () => {
    globalThis.closeShared = undefined;
    await close();
    await others?.();
  };
}

let shared: Promise<TestService> | null = null;

/** One service and database for all files of this process: tests keep apart by making their own stores, as merchants do. */
function openShared(): Promise<TestService> {
  if (!shared) {
    const opening = (shared = startService({ rateLimits: false }));
    shareUntilEnd(async () => (await opening).close());
  }
  return shared;
}

/** The service that the tests of a file call: the shared one, or with settings one of its own. Rate limits are off in the shared one. */
export function useService(settings?: Settings): TestService {
  const service = filledBy(beforeAll, () =>
    settings ? startService(typeof settings === 'function' ? settings() : settings) : openShared(),
  );
  afterAll(async () => (settings ? service.close() : service.resetClock()));
  return service;
}

/** A store for all tests of a file. */
export const useStore = (service: TestService, settings?: StoreSettings): NewStore =>
  filledBy(beforeAll, () => service.createStore(settings));

/** A new store for each test. */
export const useNewStore = (service: TestService, settings?: StoreSettings): NewStore =>
  filledBy(beforeEach, () => service.createStore(settings));

/** Starts a service; whoever calls it closes it. With `beside`, it is another process on the database of that one. */
export async function startService(
  overrides: Partial<Config> = {},
  givenLog?: Logger,
  beside?: Pick<TestService, 'database'>,
  limits: Partial<HttpLimits> = {},
): Promise<TestService> {
  // Making the reference takes seconds on a busy machine; in the middle of a test, connections would time out meanwhile.
  openApi();
  const database = beside?.database ?? (await createTestDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), 'wishgate-test-'));
  const config: Config = {
    ...readConfig({
      DATA_DIR: dataDir,
      DEMO: '0',
      LOG_LEVEL: 'fatal',
      DATABASE_POOL: '10',
      MAX_REQUESTS: '0',
    }),
    ...overrides,
  };
  const log = givenLog ?? createLogger(config.logLevel);
  const db = openDatabase(database.url, config.databasePool, log, {
    replicaUrl: config.databaseReplicaUrl,
    isReplicaSynchronous: config.databaseReplicaSynchronous,
  });
  // Tests send a hundred calls at once on purpose; on a busy machine they queue for longer than the service lets them.
  db.pool.options.connectionTimeoutMillis = 0;
  // The order of fair queues, which PostgreSQL draws.
  db.pool.on('connect', (client) => void client.query('SELECT setseed($1)', [Math.random()]));
  let clock: (() => Date) | null = null;
  const services: Services = Object.freeze({
    config,
    db,
    log,
    now: () => (clock ? clock() : new Date()),
    templates: createTemplates(log),
    limiter: createLimiter(config.redisUrl, log),
  });
  const tasks = createTasks(services);
  const demo = config.demo ? await ensureDemoStore(services) : null;
  const { server, serve } = createHttpServer({ ...config, ...limits });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    for (const task of tasks) task.close?.();
    services.templates.close();
    services.limiter.close();
    await db.close();
    if (!beside) await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  const app = await createApp(services, { isDraining: false }, demo).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  serve(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = supertest(url);

  const authorise = (test: supertest.Test, { store, headers }: Caller): supertest.Test => {
    if (store) void test.auth(store.pid, store.apiKey);
    return headers ? test.set(headers) : test;
  };
  // Every REST answer of every test is held against the API reference.
  const checked = (test: supertest.Test): supertest.Test =>
    test.expect(({ status, body }) =>
      expectMatchesOpenApi(test.method, new URL(test.url).pathname, status, body),
    );
  const post: TestService['post'] = (path, fields, caller = {}) => {
    const { shopper } = caller;
    const target = shopper
      ? `${path}${path.includes('?') ? '&' : '?'}pid=${encodeURIComponent(shopper.pid)}`
      : path;
    const all = shopper ? { regid: shopper.regid, sessionid: shopper.sessionid, ...fields } : fields;
    return checked(authorise(http.post(target), caller))
      .type('form')
      .send(encodeFields(all));
  };
  const identify = async (store: StoreAccess, fields: Fields): Promise<TestShopper> => {
    const { body } = await post('/storeadmin/v3/user/generate-regid', fields, { store }).expect(200);
    return { pid: store.pid, regid: body.regid, sessionid: body.sessionid };
  };

  return {
    services,
    database,
    demo,
    url,
    http,
    setNow: (now) => (clock = () => now),
    setClock: (read) => (clock = read),
    resetClock: () => (clock = null),
    createStore: (settings = {}) => createStore(services, { name: 'Test store', ...settings }),
    guest: (store, uuid = randomUUID(), useragenttype = 'test') => identify(store, { uuid, useragenttype }),
    account: (store, useremail = `${randomUUID()}@example.com`, useragenttype = 'test') =>
      identify(store, { useremail, useragenttype }),
    post,
    get: (path, caller = {}) => checked(authorise(http.get(path), caller)),
    graphql: (query, variables = {}, caller = {}) => {
      const { shopper, store } = caller;
      const test = authorise(http.post('/graphql'), caller).send({ query, variables });
      if (!shopper) return test;
      return test.set(
        store
          ? { 'x-regid': shopper.regid }
          : { 'x-pid': shopper.pid, 'x-regid': shopper.regid, 'x-sessionid': shopper.sessionid },
      );
    },
    runTasks: async () => {
      for (let isBusy = true; isBusy;) {
        isBusy = false;
        for (const task of tasks) while (await task.run()) isBusy = true;
      }
    },
    close,
  };
}
