import { randomInt } from 'node:crypto';
import { createClient, item, newAccount } from '../../api/list-kit.ts';
import type { Client } from '../../api/list-kit.ts';
import { startService } from '../../harness.ts';
import type { TestService } from '../../harness.ts';
import { inFull } from '../../tier.ts';
import { until } from '../../until.ts';
import { startCluster } from './cluster.ts';
import type { Cluster } from './cluster.ts';
import { describeWith } from './parts.ts';

// Two gateways with cached responses on a primary with a replica.

const PAGES = /execute (page_|lists_of)/;

describeWith(['PostgreSQL 15'], 'a streaming replica for reads', () => {
  let cluster: Cluster;
  let gateways: TestService[];
  let service: TestService;

  beforeAll(async () => {
    cluster = await startCluster({ isCounted: true });
    const open = () =>
      startService({ databaseReplicaUrl: cluster.replicaUrl, rateLimits: false }, undefined, {
        database: { url: cluster.primary.url, drop: async () => undefined },
      });
    gateways = [await open(), await open()];
    service = gateways[0]!;
  });
  afterAll(async () => {
    for (const gateway of gateways ?? []) await gateway.close();
    await cluster?.remove();
  });

  const qtyOverRest = async (client: Client, lid: string): Promise<number> => {
    const { items } = (await client.contents(lid)) as { items: { qty: number }[] };
    return items[0]!.qty;
  };
  const qtyOverGraphql = async (client: Client, lid: string): Promise<number> => {
    const query = `query ($lid: ID!) { list(lid: $lid) { items { edges { node { qty } } } } }`;
    const { body } = await client.graphql(query, { lid }).expect(200);
    return body.data.list.items.edges[0].node.qty as number;
  };
  const APIS = [qtyOverRest, qtyOverGraphql];

  const newList = async (): Promise<{ clients: Client[]; lid: string }> => {
    const store = await service.createStore();
    const client = await newAccount(service, store);
    const { lid } = await client.create('Wishes');
    await client.add(lid, item(1, { qty: 1 }));
    return { clients: gateways.map((gateway) => createClient(gateway, client.shopper)), lid };
  };
  const setQty = (client: Client, lid: string, qty: number) =>
    client.ok('lists/update-ctx', { lid, u: [{ epi: 1, qty }] });
  const setQtyOverGraphql = (client: Client, lid: string, qty: number) =>
    client
      .graphql(
        'mutation ($lid: ID!, $qty: Int!) { updateListContents(lid: $lid, u: [{ epi: 1, qty: $qty }]) { __typename } }',
        { lid, qty },
      )
      .expect(200);

  /** Asks until the replica has answered. */
  const untilFromReplica = async (words: RegExp, read: () => Promise<unknown>): Promise<void> => {
    const before = cluster.countOnReplica(words);
    await until(async () => {
      await read();
      return cluster.countOnReplica(words) > before;
    });
  };

  /** Asks for pages that nobody has kept until one comes from the replica. */
  const untilRead = (client: Client, lid: string): Promise<void> => {
    let limit = 1;
    return untilFromReplica(PAGES, () =>
      client.ok('lists/fetch-list-with-contents', { lid, limit: (limit = (limit % 900) + 1) }),
    );
  };

  test('queries of REST and GraphQL, pages of the dashboard and files come from it once it has what was written', async () => {
    const { clients, lid } = await newList();
    const store = await service.createStore();
    await cluster.catchUp();
    for (const gateway of gateways) {
      const client = createClient(gateway, clients[0]!.shopper);
      let limit = 1;
      await untilFromReplica(PAGES, () =>
        client.ok('lists/fetch-list-with-contents', { lid, limit: (limit += 1) }),
      );
      await untilFromReplica(PAGES, () =>
        client.graphql(`{ lists(first: ${(limit += 1)}) { totalCount } }`).expect(200),
      );
      await untilFromReplica(/product/, () =>
        gateway.graphql('{ products { totalCount edges { node { epi } } } }', {}, { store }).expect(200),
      );
      await untilFromReplica(/product/, () =>
        gateway.get('/storeadmin/v3/products.csv', { store }).expect(200),
      );
    }
    expect(cluster.countOnReplica(/load_identities/)).toBe(0);
  });

  test('a write is read back at once over REST and GraphQL while it shows nothing new, and from it again afterwards', async () => {
    const { clients, lid } = await newList();
    await cluster.catchUp();
    await cluster.pause();
    try {
      const before = cluster.countOnReplica(PAGES);
      // Until now it has everything, so that only being a mutation keeps what is read after the write from coming from there.
      const { body } = await clients[0]!.graphql(
        `mutation ($lid: ID!) {
          updateListContents(lid: $lid, u: [{ epi: 1, qty: 9 }]) { cnt }
          updateList(lid: $lid, input: { lnote: "Mine" }) { items { edges { node { qty } } } }
        }`,
        { lid },
      );
      expect(body.data.updateList.items.edges[0].node.qty).toBe(9);
      for (const [write, qty] of [[setQty, 2] as const, [setQtyOverGraphql, 3] as const]) {
        await write(clients[0]!, lid, qty);
        // Three times: what is kept is sent from the third on.
        for (const read of [...APIS, ...APIS, ...APIS])
          for (const client of clients) expect(await read(client, lid)).toBe(qty);
      }
      expect(cluster.countOnReplica(PAGES)).toBe(before);
    } finally {
      await cluster.resume();
    }
    await untilRead(clients[0]!, lid);
    for (const read of APIS) expect(await read(clients[0]!, lid)).toBe(3);
  });

  test('who waits for changes is told of lists as they are, while it shows nothing new', async () => {
    const { clients, lid } = await newList();
    const ask = async (more: object): Promise<{ rev: string; lists: { cnt: number }[] }> => {
      const { body } = await clients[0]!
        .graphql(
          'query ($since: String, $wait: Int) { listChanges(since: $since, wait: $wait) { rev lists { cnt } } }',
          more,
        )
        .expect(200);
      return body.data.listChanges;
    };
    const { rev } = await ask({});
    await cluster.catchUp();
    await cluster.pause();
    try {
      const [told] = await Promise.all([ask({ since: rev, wait: 25 }), clients[1]!.add(lid, item(2))]);
      expect(told.lists).toEqual([{ cnt: 2 }]);
    } finally {
      await cluster.resume();
    }
  });

  test(`${inFull(150, 40)} random writes and reads on two gateways while it stops and goes on: no read is older than the last write`, async () => {
    const { clients, lid } = await newList();
    const any = <One>(of: readonly One[]): One => of[randomInt(of.length)]!;
    let expected = 1;
    try {
      for (let step = 0; step < inFull(150, 40); step += 1) {
        const dice = randomInt(10);
        if (dice === 0) await cluster.pause();
        else if (dice === 1) await cluster.resume();
        else if (dice < 5) await any([setQty, setQtyOverGraphql])(any(clients), lid, (expected += 1));
        else if (dice === 5) await cluster.resume().then(cluster.catchUp);
        for (let reads = randomInt(4); reads > 0; reads -= 1)
          expect(await any(APIS)(any(clients), lid)).toBe(expected);
      }
    } finally {
      await cluster.resume();
    }
    await untilRead(clients[0]!, lid);
  });

  test('no answer is older than a write that was acknowledged before it was asked for, with readers, a writer and a replica that stops at work', async () => {
    const { clients, lid } = await newList();
    let acknowledged = 1;
    let isOver = false;
    const writer = async (): Promise<void> => {
      for (let qty = 2; qty <= inFull(120, 30); qty += 1) {
        await (qty % 3 ? setQty : setQtyOverGraphql)(clients[qty % 2]!, lid, qty);
        acknowledged = qty;
      }
    };
    const stopper = async (): Promise<void> => {
      while (!isOver) {
        await cluster.pause();
        await cluster.resume();
        await cluster.catchUp();
      }
    };
    const reader = async (client: Client, read: (typeof APIS)[number]): Promise<void> => {
      while (!isOver) {
        const least = acknowledged;
        expect(await read(client, lid)).toBeGreaterThanOrEqual(least);
      }
    };
    const others = [stopper(), ...clients.flatMap((client) => APIS.map((read) => reader(client, read)))];
    await writer().finally(() => (isOver = true));
    await Promise.all(others);
    await untilRead(clients[0]!, lid);
  });

  test('it is killed and comes back under readers: nobody notices, and it is read from again', async () => {
    const { clients, lid } = await newList();
    let isOver = false;
    let limit = 1;
    const reader = async (client: Client): Promise<void> => {
      while (!isOver) {
        await client.ok('lists/fetch-list-with-contents', { lid, limit: (limit = (limit % 900) + 1) });
        expect((await client.graphql(`{ lists(first: ${(limit % 90) + 1}) { totalCount } }`)).body).toEqual({
          data: { lists: { totalCount: 1 } },
        });
      }
    };
    const nothing = async (): Promise<void> => undefined;
    await cluster.catchUp();
    const readers = [...clients, ...clients].map(reader);
    try {
      await untilFromReplica(PAGES, nothing);
      await cluster.killReplica();
      await setQty(clients[0]!, lid, 7);
      for (const read of APIS) for (const client of clients) expect(await read(client, lid)).toBe(7);
      await cluster.startReplica();
      await cluster.catchUp();
      await untilFromReplica(PAGES, nothing);
    } finally {
      isOver = true;
      await Promise.all(readers);
    }
  });
});
