import { createClient, item, newAccount } from '../../api/list-kit.ts';
import type { Client } from '../../api/list-kit.ts';
import { startService } from '../../harness.ts';
import type { TestService } from '../../harness.ts';
import { until } from '../../until.ts';
import { startCluster } from './cluster.ts';
import type { Cluster } from './cluster.ts';
import { describeWith } from './parts.ts';

describeWith(['PostgreSQL 15'], 'a synchronous replica whose primary is lost', () => {
  let cluster: Cluster;
  /** One that wrote, and one that never asked for anything before the loss. */
  let services: TestService[];
  let client: Client;
  let lid: string;

  beforeAll(async () => {
    cluster = await startCluster({ isSynchronous: true });
    const open = () =>
      startService(
        { databaseReplicaUrl: cluster.replicaUrl, databaseReplicaSynchronous: true, rateLimits: false },
        undefined,
        { database: { url: cluster.primary.url, drop: async () => undefined } },
      );
    services = [await open(), await open()];
    client = await newAccount(services[0]!, await services[0]!.createStore());
    ({ lid } = await client.create('Wishes'));
    await cluster.catchUp();
    // The last write is acknowledged, and the replica has it without showing it.
    await cluster.pause();
    await client.add(lid, item(1));
    await cluster.primary.process.stop('SIGKILL');
  });
  afterAll(async () => {
    for (const service of services ?? []) await service.close();
    await cluster?.remove();
  });

  const read = (service: TestService) =>
    createClient(service, client.shopper).call('lists/fetch-list-with-contents', { lid });
  const readOverGraphql = (service: TestService) =>
    createClient(service, client.shopper).graphql('query ($lid: ID!) { list(lid: $lid) { cnt } }', { lid });

  test('serves nothing while it does not show all that was acknowledged, then reads over REST and GraphQL, and no writes', async () => {
    for (const service of services) {
      expect((await read(service)).status).toBe(503);
      expect((await readOverGraphql(service)).status).toBe(503);
    }
    await cluster.resume();
    for (const service of services) {
      await until(async () => (await read(service)).status === 200);
      expect((await read(service)).body).toMatchObject({ pagination: { totalcount: 1 } });
      expect((await readOverGraphql(service)).body).toEqual({ data: { list: { cnt: 1 } } });
      const write = createClient(service, client.shopper);
      expect((await write.call('lists/update-ctx', { lid, a: '[]' })).body).toMatchObject({
        type: 'unavailable',
      });
    }
  });
});
