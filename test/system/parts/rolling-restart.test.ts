import { endMains, startMain } from '../fault/fixtures/main-process.ts';
import type { MainProcess } from '../fault/fixtures/main-process.ts';
import { startService } from '../../harness.ts';
import type { TestService } from '../../harness.ts';
import { inFull } from '../../tier.ts';
import { until } from '../../until.ts';
import { startHaproxy } from './haproxy.ts';
import type { Proxy } from './haproxy.ts';
import { describeWith } from './parts.ts';
import { freePort } from './process.ts';
import { startTraffic } from './traffic.ts';

/** How often all gateways are restarted, one after another. */
const ROUNDS = inFull(3, 1);
const GATEWAYS = 2;
/** Fewer than one gateway answers at a time (MAX_REQUESTS), so that none is turned away while the other one is away. */
const SHOPPERS = inFull(24, 8);

describeWith(['HAProxy'], 'gateways behind HAProxy', () => {
  let service: TestService;
  let proxy: Proxy;
  let gateways: MainProcess[];
  let ports: number[];

  const startGateway = (port: number): MainProcess =>
    startMain({
      PORT: String(port),
      DATABASE_URL: service.database.url,
      DATA_DIR: service.services.config.dataDir,
      DATABASE_POOL: '8',
      RATE_LIMITS: 'off',
      MAX_LISTS: '100000',
      TRUST_PROXY: 'loopback',
      // As docs/operations/many-processes.md advises.
      DRAIN_DELAY_MS: '1000',
    });

  beforeAll(async () => {
    service = await startService();
    ports = [];
    for (let count = 0; count < GATEWAYS; count += 1) ports.push(await freePort());
    gateways = ports.map(startGateway);
    await Promise.all(gateways.map(({ url }) => url));
    proxy = await startHaproxy(ports);
    await until(async () => (await proxy.countUp()) === GATEWAYS);
  });
  afterAll(async () => {
    await proxy.stop();
    await endMains();
    await service.close();
  });

  test(`${ROUNDS} rolling restarts under load: every request is answered with 2xx, every write is there once and read at once`, async () => {
    const store = await service.createStore();
    const shoppers = await Promise.all(Array.from({ length: SHOPPERS }, () => service.guest(store)));
    const traffic = startTraffic(proxy.url, shoppers);
    for (let restart = 0; restart < ROUNDS * GATEWAYS; restart += 1) {
      const index = restart % GATEWAYS;
      const before = traffic.count();
      await until(() => traffic.count() > before + 50);
      gateways[index]!.child.kill('SIGTERM');
      expect((await gateways[index]!.ended).code).toBe(0);
      gateways[index] = startGateway(ports[index]!);
      await gateways[index].url;
      await until(async () => (await proxy.countUp()) === GATEWAYS);
    }
    await traffic.stop();
    expect(traffic.failures).toEqual([]);
    for (const [{ pid, regid }, { names, epis }] of traffic.written) {
      const lists = await service.services.db.query<{ lname: string }>(
        'SELECT lname FROM list WHERE pid = $1 AND regid = $2 ORDER BY seq',
        [pid, regid],
      );
      expect(lists.map(({ lname }) => lname)).toEqual(names);
      const items = await service.services.db.query<{ epi: string }>(
        'SELECT epi FROM item JOIN list USING (pid, lid) WHERE pid = $1 AND regid = $2 ORDER BY item.seq',
        [pid, regid],
      );
      expect(items.map(({ epi }) => Number(epi))).toEqual(epis);
    }
    process.stdout.write(`${traffic.count()} requests over ${ROUNDS * GATEWAYS} restarts, 0 failed\n`);
  });
});
