import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { loadDevMessages, loadErrorMessages } from '@apollo/client/dev';
import { CombinedProtocolErrors } from '@apollo/client/errors';
import type { ServerError } from '@apollo/client/errors';
import { RetryLink } from '@apollo/client/link/retry';
import { revokeSessions } from '../../src/shoppers/shopper.service.ts';
import { setMaintenance } from '../../src/stores/store.service.ts';
import { useService, useStore } from '../harness.ts';
import type { TestShopper } from '../harness.ts';
import { headersOf } from '../live.ts';
import { until } from '../until.ts';
import { item, newGuest, useNewAccount } from './list-kit.ts';

const service = useService({ rateLimits: true });
const store = useStore(service);
const me = useNewAccount(service, store);

const LIVE = gql`
  subscription Watch {
    lists {
      rev
      lids
      lists {
        id
        lname
        cnt
      }
    }
  }
`;
type Live = { lists: { rev: string; lids: string[]; lists: { id: string; lname: string; cnt: number }[] } };

/** Apollo Client as it comes: no other link, no type policy. */
const createClient = (shopper: TestShopper, before: ApolloLink[] = []): ApolloClient => {
  const http = new HttpLink({ uri: `${service.url}/graphql`, headers: headersOf({ shopper }) });
  return new ApolloClient({ link: ApolloLink.from([...before, http]), cache: new InMemoryCache() });
};

/** What a page that watches has been told. */
function watch(client: ApolloClient) {
  const told: Live['lists'][] = [];
  const state = { told, error: undefined as unknown, isComplete: false, stop: () => undefined as void };
  const subscription = client.subscribe<Live>({ query: LIVE }).subscribe({
    next({ data, error }) {
      if (data) told.push(data.lists);
      state.error ??= error;
    },
    complete: () => (state.isComplete = true),
  });
  state.stop = () => subscription.unsubscribe();
  return state;
}

const warnings: unknown[][] = [];
const { warn, error } = console;
beforeAll(() => {
  loadDevMessages();
  loadErrorMessages();
  console.warn = console.error = (...args) => void warnings.push(args);
});
afterEach(() => expect(warnings.splice(0)).toEqual([]));
afterAll(() => Object.assign(console, { warn, error }));

test('live lists and alert subscriptions are records of the cache without any type policy', async () => {
  const guest = await newGuest(service, store);
  const { lid } = await guest.create('Watched');
  const other = await guest.create('Other');
  await guest.graphql('mutation ($input: SubscribeInput!) { subscribe(input: $input) { confirmed } }', {
    input: {
      ...{ medium: 'email', mediumvalue: 'ann@example.com', topics: ['backinstock'] },
      products: [1, 2].map((epi) => ({ epi, empi: 9, du: '/p' })),
    },
  });
  const client = createClient(guest.shopper);
  const live = watch(client);
  await until(() => live.told.length === 1);
  await client.query({ query: gql('{ subscriptions { edges { node { id topic epi } } } }') });
  await client.query({ query: gql('{ subscriptions { edges { node { id medium } } } }') });
  await guest.add(lid, item(1));
  await guest.ok('lists/delete-list', { lid: other.lid });
  await until(() => live.told.at(-1)!.lids[0] === other.lid);
  const records = client.cache.extract() as Record<string, object>;
  expect(records[`List:${lid}`]).toEqual({ __typename: 'List', id: lid, lname: 'Watched', cnt: 1 });
  const alerts = Object.entries(records).filter(([key]) => key.startsWith('Subscription:'));
  expect(alerts.map(([, alert]) => alert)).toEqual(
    [2, 1].map((epi) => expect.objectContaining({ topic: 'backinstock', medium: 'email', epi })),
  );
  live.stop();
});

test('a page is told the newest state, however many changes there are, and its other queries follow', async () => {
  const { lid } = await me.create('Busy');
  const client = createClient(me.shopper);
  const shown = client.watchQuery<{ list: { cnt: number } }>({
    query: gql('query ($lid: ID!) { list(lid: $lid) { id cnt } }'),
    variables: { lid },
  });
  const counts: unknown[] = [];
  const page = shown.subscribe(({ data }) => counts.push((data as { list?: { cnt: number } })?.list?.cnt));
  const live = watch(client);
  await until(() => live.told.length === 1 && counts.at(-1) === 0);
  for (let epi = 1; epi <= 40; epi += 1) await me.add(lid, item(epi));
  await until(() => counts.at(-1) === 40);
  const revs = live.told.map(({ rev }) => Number(rev));
  expect(revs).toEqual([...new Set(revs)].sort((a, b) => a - b));
  page.unsubscribe();
  live.stop();
});

test('a page learns why its stream ends, and why one is rejected', async () => {
  const live = watch(createClient(me.shopper));
  await until(() => live.told.length === 1);
  await revokeSessions(service.services, store.pid, { all: true });
  await until(() => live.isComplete);
  expect(CombinedProtocolErrors.is(live.error)).toBe(true);
  const [ended] = (live.error as CombinedProtocolErrors).errors;
  expect(ended!.extensions).toMatchObject({ type: 'bad-sessionid', status: 401 });
  const rejected = watch(createClient(me.shopper));
  await until(() => rejected.isComplete);
  expect(rejected.error).toMatchObject({ errors: [{ extensions: { type: 'bad-sessionid' } }] });
});

test('a stream that breaks off is an error, after which a RetryLink connects again', async () => {
  const retry = new RetryLink({ delay: () => 50, attempts: () => true });
  const [plain, steady] = [watch(createClient(me.shopper)), watch(createClient(me.shopper, [retry]))];
  await until(() => plain.told.length === 1 && steady.told.length === 1);
  await setMaintenance(service.services, null, true);
  try {
    await until(() => plain.isComplete);
    expect(plain.error).toMatchObject({ message: 'premature end of multipart body' });
    const refused = watch(createClient(me.shopper));
    await until(() => refused.isComplete);
    expect((refused.error as ServerError).statusCode).toBe(503);
  } finally {
    await setMaintenance(service.services, null, false);
  }
  const { lid } = await me.create('Afterwards');
  await until(() => steady.told.at(-1)!.lids.includes(lid));
  expect(steady.error).toBeUndefined();
  steady.stop();
});
