import { Redis } from 'ioredis';
import { readConfig } from '../../../src/config.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { registry } from '../../../src/platform/metrics.ts';
import { startService } from '../../harness.ts';
import type { StoreAccess, TestService } from '../../harness.ts';
import { until } from '../../until.ts';
import { describeWith } from './parts.ts';
import { freePort } from './process.ts';
import type { PartProcess } from './process.ts';
import { startRedis } from './redis.ts';

const PASSWORD = 'hunter2-hunter2';

type Line = { level: number; msg: string; reason?: string };

describeWith(['Redis'], 'two processes with one Redis', () => {
  let redis: PartProcess;
  let redisUrl: string;
  const lines: string[] = [];
  let one: TestService;
  let other: TestService;

  const start = (port: number): Promise<PartProcess> => startRedis(port, ['--requirepass', PASSWORD]);
  const told = (part: string): Line[] =>
    lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg.includes(part));

  beforeAll(async () => {
    redis = await start(await freePort());
    redisUrl = `redis://default:${PASSWORD}@127.0.0.1:${redis.port}/1`;
    const log = createLogger('info', { write: (line) => void lines.push(line) });
    one = await startService({ redisUrl, trustProxy: ['loopback'] }, log);
    other = await startService({ redisUrl, trustProxy: ['loopback'] }, undefined, one);
  });
  beforeEach(() => void lines.splice(0));
  afterAll(async () => {
    await other.close();
    await one.close();
    redis.signal('SIGCONT');
    await redis.stop('SIGKILL');
  });

  const gauge = (): Promise<string> => registry.getSingleMetricAsString('wishgate_rate_limits_shared');

  /** Calls of a store, and what is left to it. */
  const call = async (service: TestService, store: StoreAccess): Promise<[number, string | undefined]> => {
    const { status, headers } = await service.get('/storeadmin/me', { store });
    return [status, headers['ratelimit-remaining']];
  };

  test('share one limit, with headers that count down across them; beyond it both refuse', async () => {
    const store = await one.createStore({ rateLimits: { key: 3 } });
    expect(await call(one, store)).toEqual([200, '2']);
    expect(await call(other, store)).toEqual([200, '1']);
    const { headers } = await one.graphql('{ store { pid } }', {}, { store });
    expect(headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0' });
    for (const service of [other, one, other]) {
      const refused = await service.get('/storeadmin/me', { store });
      expect([refused.status, refused.body.type]).toEqual([429, 'too-many-requests']);
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(refused.headers).toMatchObject({
        'ratelimit-limit': '3',
        'ratelimit-remaining': '0',
        'ratelimit-reset': refused.headers['retry-after'],
      });
    }
  });

  test('count a shopper and an address together, and Redis names neither, nor a store or a key', async () => {
    const store = await one.createStore({ rateLimits: { shopper: 1, address: 5 } });
    const shopper = await one.guest(store);
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    const ask = (service: TestService) => service.graphql('{ shopper { regid } }', {}, { shopper, headers });
    await ask(one).expect(200);
    await ask(other).expect(429);
    const client = new Redis(redisUrl);
    const keys = await client.keys('*');
    client.disconnect();
    expect(keys.filter((key) => key.startsWith('wishgate:'))).toHaveLength(keys.length);
    expect(keys.filter((key) => /:(key|shopper|address):/.test(key)).length).toBeGreaterThanOrEqual(3);
    for (const secret of [shopper.regid, shopper.sessionid, store.pid, store.apiKey, '203.0.113.77'])
      expect(keys.join(' ')).not.toContain(secret);
  });

  test('go on by themselves while Redis is dead and share again when it is back: one line each, without its password', async () => {
    const store = await one.createStore({ rateLimits: { key: 1_000 } });
    expect(await call(one, store)).toEqual([200, '999']);
    await redis.stop('SIGKILL');
    await until(() => told('Redis is unavailable').length > 0);
    expect(await call(one, store)).toEqual([200, '999']);
    expect(await call(other, store)).toEqual([200, '999']);
    expect(await call(one, store)).toEqual([200, '998']);
    expect(await gauge()).toMatch(/shared 0$/);

    redis = await start(redis.port);
    await until(() => told('shared through Redis').length === 1);
    // The other one sees it back within a second, too: then its call is counted where ours was.
    await until(async () => {
      const [, left] = await call(one, store);
      return (await call(other, store))[1] === String(Number(left) - 1);
    });
    await until(async () => (await gauge()).endsWith('shared 1'));
    expect(told('Redis is unavailable')).toEqual([expect.objectContaining({ level: 40 })]);
    expect(told('shared through Redis').map(({ level }) => level)).toEqual([30]);
    expect(lines.join('')).not.toContain(PASSWORD);
  });

  test('wait for a Redis that hangs once, and then not at all', async () => {
    const store = await one.createStore({ rateLimits: { key: 1_000 } });
    await call(one, store);
    redis.signal('SIGSTOP');
    expect((await call(one, store))[0]).toBe(200);
    expect(told('Redis is unavailable')).toHaveLength(1);
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(one, store)));
    expect(answers.map(([status]) => status)).toEqual(Array(20).fill(200));
    redis.signal('SIGCONT');
    await until(() => told('shared through Redis').length === 1);
    expect(told('Redis is unavailable')).toHaveLength(1);
  });

  test('say so once when Redis answers and takes no writes', async () => {
    const store = await one.createStore({ rateLimits: { key: 1_000 } });
    const client = new Redis(redisUrl);
    await client.config('SET', 'maxmemory', '1');
    for (const left of ['999', '998']) expect(await call(one, store)).toEqual([200, left]);
    expect(told('Redis is unavailable')).toEqual([
      expect.objectContaining({ reason: expect.stringContaining('OOM') }),
    ]);
    await client.config('SET', 'maxmemory', '0');
    client.disconnect();
    await until(() => told('shared through Redis').length === 1);
    expect(told('Redis is unavailable')).toHaveLength(1);
  });
});

describe('a Redis that cannot be used', () => {
  test('that is away at the start is told, and the service starts and counts by itself', async () => {
    const lines: string[] = [];
    const log = createLogger('info', { write: (line) => void lines.push(line) });
    const redisUrl = `redis://default:${PASSWORD}@127.0.0.1:${await freePort()}`;
    const service = await startService({ redisUrl }, log);
    const store = await service.createStore({ rateLimits: { key: 1 } });
    await service.get('/storeadmin/me', { store }).expect(200);
    await service.get('/storeadmin/me', { store }).expect(429);
    await service.close();
    expect(lines.filter((line) => line.includes('Redis'))).toEqual([expect.stringContaining('ECONNREFUSED')]);
    expect(lines.join('')).not.toContain(PASSWORD);
  });

  test.each([
    'cache.example:6379',
    'https://cache.example',
    'redis://',
    `redis://:${PASSWORD}@cache.example/zero`,
    `redis://:${PASSWORD}@cache.example:99999`,
  ])(
    'of which the address is wrong stops the start with a sentence that repeats nothing of it: %s',
    (url) => {
      expect(() => readConfig({ REDIS_URL: url })).toThrow(
        /^REDIS_URL is invalid: use one Redis URL, such as redis:\/\/user:password@cache\.example:6379\/0, or rediss:\/\/ for TLS \(see \.env\.example\)$/,
      );
    },
  );
});
