import { randomUUID } from 'node:crypto';
import { createApp } from '../../../src/app.ts';
import { encryptLink } from '../../../src/shoppers/contacts/link.rules.ts';
import { longToken } from '../../../src/stores/revenue/click.rules.ts';
import { findStore } from '../../../src/stores/store.repo.ts';
import type { Lifecycle } from '../../../src/api/health.ts';
import { graphqlCalls, unreachable } from './calls.ts';
import { rowsOf, textsOf } from './rows.ts';
import { newcomer } from './stores.ts';
import { differences, walkGraphql, walkRest } from './walk.ts';
import type { Search } from './walk.ts';
import {
  SHOWN_TO_OPERATORS,
  SHOWN_TO_SHOPPERS,
  alpha,
  ask,
  basic,
  bravo,
  byHeaders,
  cookie,
  ghostOf,
  guessOf,
  known,
  leaksIn,
  openWorld,
  operatorKey,
  revoked,
  seeded,
  service,
  shown,
} from './world.ts';
import type { Stranger } from './world.ts';

// Two stores with a row in every table. Everything there is to call is called by those who have no right to it, with the ids of the one store: no
// answer may hold a value that only that store has, none of its rows may change, and each refusal must be that of an id that does not exist. What
// is called comes from the schema, the REST table and the router itself, what is looked for from the database's catalogue.

beforeAll(openWorld);
afterAll(() => service.close());

type Row = {
  who: string;
  make: () => Promise<Stranger> | Stranger;
  isFellow?: true;
  isShown?: RegExp;
  mayCall?: RegExp;
};
const NOTHING = /^$/;

const STRANGERS: Row[] = [
  { who: 'another store', make: () => byHeaders(basic(bravo.pid, bravo.apiKey)) },
  { who: "another store's key under the pid", make: () => byHeaders(basic(alpha.pid, bravo.apiKey)) },
  { who: 'a key that was revoked', make: () => byHeaders(basic(alpha.pid, revoked)) },
  {
    who: "another store's dashboard",
    make: () =>
      byHeaders({ cookie, 'x-wishgate-dashboard': '1', 'x-pid': alpha.pid, 'x-regid': alpha.shopper.regid }),
  },
  {
    who: 'an operator who acts for no store',
    make: () => byHeaders(basic('operator', operatorKey)),
    isShown: SHOWN_TO_OPERATORS,
    mayCall: /^mutation (createStore|setStoreMaintenance)\b/,
  },
  {
    who: 'a shopper of another store',
    make: async () => shown(await newcomer(service, bravo, 'account', bravo.epi)),
  },
  {
    who: 'a guest of another store',
    make: async () => shown(await newcomer(service, bravo, 'guest', bravo.epi)),
  },
  {
    who: "another store's shopper under the pid",
    make: async () => shown({ ...(await newcomer(service, bravo, 'account', bravo.epi)), pid: alpha.pid }),
  },
  {
    who: 'another shopper',
    make: async () => shown(await newcomer(service, alpha, 'account', alpha.epi)),
    isFellow: true,
  },
  {
    who: 'a guest',
    make: async () => shown(await newcomer(service, alpha, 'guest', alpha.epi)),
    isFellow: true,
  },
  {
    who: "another shopper's session under the regid",
    make: async () =>
      shown({ ...(await newcomer(service, alpha, 'guest', alpha.epi)), regid: alpha.shopper.regid }),
    isFellow: true,
  },
  {
    who: 'nobody who names the store',
    make: () => shown({ pid: alpha.pid, regid: '', sessionid: '' }),
    isFellow: true,
  },
  {
    who: 'nobody who names the shopper',
    make: () => shown({ pid: alpha.pid, regid: alpha.shopper.regid, sessionid: '' }),
    isFellow: true,
  },
  { who: 'nobody', make: () => byHeaders({}) },
];

/** Rows in which figures of all are counted, whoever comes. */
const COUNTED = /^(tally|tally_delta|catalog_revision|signup_window|idempotency_usage) /;

test.each(STRANGERS)(
  '$who learns nothing and changes nothing, over REST and GraphQL',
  async ({ make, isFellow = false, isShown = isFellow ? SHOWN_TO_SHOPPERS : NOTHING, mayCall = NOTHING }) => {
    const stranger = await make();
    const { db } = service.services;
    const before = isFellow ? seeded : textsOf(await rowsOf(db, alpha.pid));
    const guesses = [false, true].map((isGhost) => guessOf(stranger, isGhost, isFellow));
    const search: Search = { stranger, guesses, isShown, leaks: [], knows: known };
    const outcomes = [
      ...(await walkGraphql(search, 'query', mayCall)),
      ...(await walkGraphql(search, 'mutation', mayCall)),
      ...(await walkRest(search)),
    ];
    expect(search.leaks).toEqual([]);
    expect(differences(outcomes)).toEqual([]);
    const after = textsOf(await rowsOf(db, alpha.pid));
    // Newcomers of the store itself have rows of their own in it.
    const added = isFellow ? [] : [...after].filter((row) => !before.has(row));
    const gone = [...before].filter((row) => !after.has(row) && !(isFellow && COUNTED.test(row)));
    expect({ gone, added }).toEqual({ gone: [], added: [] });
  },
);

/** Something that stands in the place of a parameter of an address; it is made for the store, or for nobody. */
async function parameterOf(name: string, isGhost: boolean): Promise<string> {
  const { db, now } = service.services;
  const other = { ...(await findStore(db, bravo.pid))!, pid: isGhost ? ghostOf(alpha.pid) : alpha.pid };
  const parameters: Record<string, string> = {
    lid: isGhost ? ghostOf(alpha.lid) : alpha.lid,
    pid: encodeURIComponent(isGhost ? ghostOf(alpha.pid) : alpha.pid),
    file: '..%2f..%2fpackage.json',
    choice: 'off',
    // Another store signs a link in this one's name.
    token: encryptLink(other, 'unsubscribe', ['all', 'email', alpha.email, '', '']),
    click: longToken(other, randomUUID(), 'https://evil.example/', now()),
  };
  const value = parameters[name];
  if (value === undefined) throw new Error(`:${name} is new in an address: say what a stranger would send`);
  return value;
}

const METHODS = ['get', 'post', 'delete'];
type Layer = { route?: { path: string | string[]; stack: { method?: string }[] } };

test('a stranger learns nothing from any page, and forges no link', async () => {
  const lifecycle: Lifecycle = { isDraining: false };
  const app = await createApp(service.services, lifecycle);
  lifecycle.endStreams?.();
  const layers = (app.router as unknown as { stack: Layer[] }).stack.flatMap(({ route }) => route ?? []);
  const addresses = layers.flatMap(({ path, stack }) =>
    [path]
      .flat()
      .flatMap((one) =>
        METHODS.filter((method) =>
          stack.some((one) => one.method === undefined || one.method === method),
        ).map((method) => [method.toUpperCase(), one] as const),
      ),
  );
  expect(addresses.length).toBeGreaterThan(20);
  const before = textsOf(await rowsOf(service.services.db, alpha.pid));
  const strangers = [
    byHeaders({}),
    byHeaders(basic(bravo.pid, bravo.apiKey)),
    byHeaders({ cookie, 'x-wishgate-dashboard': '1', 'x-pid': alpha.pid }),
  ];
  for (const [method, path] of addresses)
    for (const stranger of strangers) {
      const answers: string[] = [];
      for (const isGhost of [false, true]) {
        const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
        let address = path;
        for (const name of names)
          address = address.replace(
            `:${name}`,
            await parameterOf(path.startsWith('/go/') ? 'click' : name, isGhost),
          );
        const isJson = /shopify|session|graphql/.test(path);
        const body = isJson
          ? JSON.stringify({ pid: isGhost ? ghostOf(alpha.pid) : alpha.pid, apiKey: bravo.apiKey })
          : 'scope=all';
        const headers = {
          ...stranger.headers,
          'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
        };
        const answer = await ask(address, headers, method === 'GET' ? undefined : body, method);
        expect({ method, path, leaks: leaksIn(answer, stranger, NOTHING, known) }).toEqual({
          method,
          path,
          leaks: [],
        });
        answers.push(`${answer.status} ${answer.text.replaceAll(address, '#')}`);
      }
      // Figures of the whole process go on between two calls.
      if (path !== '/metrics')
        expect({ method, path, answer: answers[0] }).toEqual({ method, path, answer: answers[1] });
    }
  expect(textsOf(await rowsOf(service.services.db, alpha.pid))).toEqual(before);
});

test('a stream tells strangers nothing', async () => {
  const other = await newcomer(service, alpha, 'guest', alpha.epi);
  const body = JSON.stringify({
    query: `subscription { lists { rev lids isWhole lists { lid lname lnote listcontents { note } } } }`,
  });
  for (const stranger of [
    shown(other),
    shown({ ...other, regid: alpha.shopper.regid }),
    shown({ ...alpha.shopper, sessionid: '' }),
    byHeaders(basic(bravo.pid, bravo.apiKey)),
  ]) {
    const end = new AbortController();
    const headers = { ...stranger.headers, 'content-type': 'application/json', accept: 'text/event-stream' };
    const answer = await fetch(`${service.url}/graphql/stream`, {
      method: 'POST',
      headers,
      body,
      signal: end.signal,
    });
    const text = new TextDecoder().decode((await answer.body!.getReader().read()).value);
    end.abort();
    expect(text).not.toBe('');
    expect(leaksIn({ status: 200, text, headers: '' }, stranger, SHOWN_TO_SHOPPERS, known)).toEqual([]);
  }
});

test('everything there is was walked, and whoever owns it sees what strangers do not', async () => {
  const guess = guessOf(byHeaders({}), false, false);
  expect(unreachable([...graphqlCalls('query', guess), ...graphqlCalls('mutation', guess)])).toEqual([]);
  const rows = await rowsOf(service.services.db, alpha.pid);
  // That one is empty at the end of every transaction.
  expect([...rows].filter(([, found]) => found.length === 0).map(([table]) => table)).toEqual([
    'catalog_change',
  ]);
  const owners = [byHeaders(basic(alpha.pid, alpha.apiKey)), shown(alpha.shopper)];
  const seen = new Set<string>();
  for (const stranger of owners) {
    const search: Search = { stranger, guesses: [guess, guess], isShown: NOTHING, leaks: [], knows: '' };
    await walkGraphql(search, 'query', NOTHING);
    for (const leak of search.leaks)
      for (const place of leak
        .slice(leak.indexOf(' tells ') + 7)
        .split(': ')[0]!
        .split(' '))
        seen.add(place);
  }
  const places = [
    'list.lname',
    'list.lnote',
    'item.note',
    'deleted_list.was',
    'shopper.em',
    'shopper.fname',
    'product.dt',
    'product.sku',
    'webhook.url',
    'topic.subject',
    'outbox.recipient',
    'store.name',
    'mail_server.host',
  ];
  expect(places.filter((place) => !seen.has(place))).toEqual([]);
});
