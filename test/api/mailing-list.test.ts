import { findStore } from '../../src/stores/store.repo.ts';
import { unsubscribeUrl } from '../../src/shoppers/contacts/link.rules.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { useService } from '../harness.ts';
import type { Caller } from '../harness.ts';

const service = useService();
let store: NewStore;
const START = new Date('2030-05-05T12:00:00Z');
const PHONE = '+49301234567';
beforeEach(async () => {
  service.setNow(START);
  store = await service.createStore();
});

const later = (seconds: number): Date => {
  const now = new Date(START.getTime() + seconds * 1_000);
  service.setNow(now);
  return now;
};

/** Subscribes a contact with an answer about the mailing list. */
async function answer(
  mediumvalue: string,
  addtomailinglist: 0 | 1,
  caller: Caller = { store },
): Promise<void> {
  const input = {
    ...{ medium: mediumvalue.includes('@') ? 'email' : 'sms', mediumvalue, addtomailinglist },
    ...{ products: [{ epi: 1, empi: 1, du: '/p' }], topics: ['backinstock'] },
  };
  const query = 'mutation ($input: SubscribeInput!) { subscribe(input: $input) { message } }';
  const { body } = await service.graphql(query, { input }, caller);
  expect(body.errors).toBeUndefined();
}

const LIST = `query ($medium: Medium, $acceptmarketing: Boolean, $first: Int, $after: String) {
  mailingList(medium: $medium, acceptmarketing: $acceptmarketing, first: $first, after: $after) {
    edges { cursor node { medium mediumvalue acceptmarketing signuptime acceptsource } }
    pageInfo { hasNextPage endCursor }
    totalCount
  } }`;
type Contact = { medium: string; mediumvalue: string; signuptime: number; acceptsource: string };

async function contacts(variables: object = {}): Promise<Contact[]> {
  const { body } = await service.graphql(LIST, variables, { store });
  return body.data.mailingList.edges.map(({ node }: { node: Contact }) => node);
}
const names = async (variables: object = {}): Promise<string[]> =>
  (await contacts(variables)).map(({ mediumvalue }) => mediumvalue);

const fetchCsv = (query = '') => service.get(`/storeadmin/v3/mailinglist.csv${query}`, { store });
const HEADER = 'medium,mediumvalue,acceptmarketing,signuptime,acceptsource\r\n';

type Told = { type: string; data: object };

/** Gives the store a webhook; answers what it is told of contacts. */
async function listen(): Promise<() => Promise<Told[]>> {
  const { db } = service.services;
  await db.query(
    `INSERT INTO webhook (pid, id, url, events, secret, cts, uts)
     VALUES ($1, 'w', 'https://x.example', '{contact.optedin,contact.optedout}', 'whsec_AAAA', now(), now())`,
    [store.pid],
  );
  return async () => {
    const rows = await db.query<{ payload: Told }>(
      `SELECT payload FROM outbox WHERE pid = $1 AND lane = 'webhook' ORDER BY seq`,
      [store.pid],
    );
    return rows.map(({ payload: { type, data } }) => ({ type, data }));
  };
}

const event = (
  type: string,
  medium: string,
  value: string,
  at: Date,
  acceptsource = 'subscription',
): Told => ({
  type: `contact.${type}`,
  data: { medium, value, signuptime: at.getTime(), acceptsource },
});

async function leaveAll(medium: string, value: string): Promise<void> {
  const row = (await findStore(service.services.db, store.pid))!;
  const claim = { scope: 'all' as const, medium, value, topic: '', epi: '' };
  const { pathname } = new URL(unsubscribeUrl('https://x.example', row, claim));
  await service.http.post(pathname).type('form').send('List-Unsubscribe=One-Click').expect(200);
}

async function prefsOf(regid: string): Promise<Record<string, unknown>> {
  const query = 'query ($regid: String) { findShopper(regid: $regid) { userinfo { prefs acc_mkt } } }';
  return (await service.graphql(query, { regid }, { store })).body.data.findShopper.userinfo;
}

test('who opted in by e-mail or text message is read with time and source, over REST and GraphQL and as CSV', async () => {
  await answer('Ann@Example.com', 1);
  const at = later(60);
  await answer(PHONE, 1);
  await answer('no@example.com', 0);
  const ann = { medium: 'email', mediumvalue: 'ann@example.com', signuptime: START.getTime() };
  const sms = { medium: 'sms', mediumvalue: PHONE, signuptime: at.getTime() };
  const yes = { acceptmarketing: true, acceptsource: 'subscription' };
  expect(await contacts()).toEqual([
    { ...sms, ...yes },
    { ...ann, ...yes },
  ]);
  expect(await names({ medium: 'email' })).toEqual(['ann@example.com']);
  expect(await contacts({ acceptmarketing: false })).toMatchObject([
    { mediumvalue: 'no@example.com', acceptmarketing: false },
  ]);
  const { body } = await service.get('/storeadmin/v3/mailinglist?medium=sms', { store }).expect(200);
  expect(body).toMatchObject({ edges: [{ node: { ...sms, ...yes } }], totalCount: 1 });
  const csv = await fetchCsv().expect(200);
  expect(csv.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename=mailinglist.csv',
  });
  expect(csv.text).toBe(
    `${HEADER}sms,${PHONE},true,2030-05-05T12:01:00.000Z,subscription\r\n` +
      'email,ann@example.com,true,2030-05-05T12:00:00.000Z,subscription\r\n',
  );
  expect((await fetchCsv('?acceptmarketing=false')).text).toContain('email,no@example.com,false');
  expect((await fetchCsv('?medium=sms&acceptmarketing=0')).text).toBe(HEADER);
});

test('an answer that is another than before is told once, and the same again moves and tells nothing', async () => {
  const told = await listen();
  const change = async (accepts: 0 | 1) => {
    await Promise.all(Array.from({ length: 8 }, () => answer('ann@example.com', accepts)));
  };
  await change(1);
  const second = later(60);
  await change(1);
  expect(await contacts()).toMatchObject([{ signuptime: START.getTime() }]);
  await change(0);
  await answer('ann@example.com', 0);
  const third = later(120);
  await change(1);
  expect(await told()).toEqual([
    event('optedin', 'email', 'ann@example.com', START),
    event('optedout', 'email', 'ann@example.com', second),
    event('optedin', 'email', 'ann@example.com', third),
  ]);
  expect(await contacts()).toMatchObject([{ signuptime: third.getTime() }]);
});

test('the preferences of the account say the same, at once, also where a store had overwritten them', async () => {
  const account = await service.account(store, 'ann@example.com');
  const read = async (): Promise<unknown> =>
    (await service.graphql('{ shopper { userinfo { prefs acc_mkt } } }', {}, { shopper: account })).body.data
      .shopper.userinfo;
  expect(await read()).toEqual({ prefs: { Mediums: {} }, acc_mkt: false });
  await answer('ann@example.com', 1, { shopper: account });
  const email = { signuptime: START.getTime(), acceptmarketing: true, acceptsource: 'subscription' };
  expect(await read()).toEqual({ prefs: { Mediums: { email } }, acc_mkt: true });
  const fields = { regid: account.regid, prefs: { lang: 'de' }, acc_mkt: false };
  await service.post('/storeadmin/v3/user/update', fields, { store }).expect(200);
  // What the store writes is its own knowledge: the list holds what the person answered.
  expect(await names()).toEqual(['ann@example.com']);
  expect(await read()).toEqual({ prefs: { lang: 'de', Mediums: {} }, acc_mkt: false });
  later(60);
  await answer('ann@example.com', 1, { shopper: account });
  expect(await read()).toEqual({ prefs: { lang: 'de', Mediums: { email } }, acc_mkt: true });
});

test('what a store writes on a record opts nobody in or out', async () => {
  const told = await listen();
  const { regid } = await service.account(store, 'ann@example.com');
  const prefs = { Mediums: { email: { acceptmarketing: true } } };
  await service.post('/storeadmin/v3/user/update', { regid, prefs, acc_mkt: true }, { store }).expect(200);
  expect([await names(), await names({ acceptmarketing: false }), await told()]).toEqual([[], [], []]);
});

test.each([
  ['with double opt-in', true, false],
  ['that a guest at a browser named', false, true],
])(
  'a contact %s is on the list once it confirmed, and told of then',
  async (_name, doubleOptIn, isGuests) => {
    store = await service.createStore({ doubleOptIn });
    const told = await listen();
    const caller = isGuests ? { shopper: await service.guest(store) } : { store };
    await answer('ann@example.com', 1, caller);
    expect([await names(), await told()]).toEqual([[], []]);
    const [message] = await service.services.db.query<{ payload: { text: string } }>(
      `SELECT payload FROM outbox WHERE pid = $1 AND kind = 'confirm'`,
      [store.pid],
    );
    const [url] = /https?:\/\/\S+\/confirm\/\S+/.exec(message!.payload.text)!;
    const at = later(60);
    for (let time = 0; time < 2; time += 1) await service.http.post(new URL(url).pathname).expect(200);
    expect(await contacts()).toMatchObject([{ mediumvalue: 'ann@example.com', signuptime: at.getTime() }]);
    expect(await told()).toEqual([event('optedin', 'email', 'ann@example.com', at)]);
    // A stranger's no is no more an answer than a stranger's yes.
    await answer('ann@example.com', 0, { shopper: await service.guest(store) });
    expect(await names()).toEqual(['ann@example.com']);
  },
);

test('who leaves everything leaves the list, which the shopper of a phone number shows, too', async () => {
  const told = await listen();
  const { regid } = await service.account(store, 'owner@example.com');
  await answer(PHONE, 1, { store, headers: { 'x-regid': regid } });
  await answer('ann@example.com', 1);
  const at = later(60);
  for (const [medium, value] of [
    ['sms', PHONE],
    ['email', 'ann@example.com'],
    ['email', 'new@example.com'],
  ] as const)
    for (let time = 0; time < 2; time += 1) await leaveAll(medium, value);
  expect(await names()).toEqual([]);
  const left = await contacts({ acceptmarketing: false });
  expect(left.map(({ mediumvalue }) => mediumvalue).sort()).toEqual([
    PHONE,
    'ann@example.com',
    'new@example.com',
  ]);
  expect(
    left.every(
      ({ signuptime, acceptsource }) => signuptime === at.getTime() && acceptsource === 'unsubscribe',
    ),
  ).toBe(true);
  expect(await prefsOf(regid)).toEqual({
    prefs: {
      Mediums: { sms: { signuptime: at.getTime(), acceptmarketing: false, acceptsource: 'unsubscribe' } },
    },
    acc_mkt: false,
  });
  expect((await told()).slice(2)).toEqual([
    event('optedout', 'sms', PHONE, at, 'unsubscribe'),
    event('optedout', 'email', 'ann@example.com', at, 'unsubscribe'),
    event('optedout', 'email', 'new@example.com', at, 'unsubscribe'),
  ]);
});

async function seed(count: number): Promise<void> {
  await service.services.db.query(
    `INSERT INTO mailing_answer (pid, medium, value, acceptmarketing, signuptime, acceptsource)
     SELECT $1, 'email', 'n' || n || '@example.com', true, $2, 'subscription' FROM generate_series(1, $3) n ORDER BY n`,
    [store.pid, START, count],
  );
}

test('pages go on where the last one ended, whoever comes meanwhile, and know the number of all', async () => {
  await seed(7);
  const seen: string[] = [];
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const { body } = await service.graphql(LIST, { first: 3, after }, { store });
    const { edges, pageInfo, totalCount } = body.data.mailingList;
    seen.push(...edges.map(({ node }: { node: Contact }) => node.mediumvalue));
    if (isFirst) {
      expect(totalCount).toBe(7);
      await answer('late@example.com', 1);
    }
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  }
  expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map((n) => `n${n}@example.com`));
});

test('the CSV has everybody once, however many they are', async () => {
  await seed(2_500);
  const { text } = await fetchCsv().expect(200);
  const rows = text.split('\r\n').slice(1, -1);
  expect(rows).toHaveLength(2_500);
  expect(new Set(rows).size).toBe(2_500);
});

test('a cell of the CSV is never run by a spreadsheet, and a phone number stays what it is', async () => {
  const values = ['=1+1@example.com', '+x@example.com', '-x@example.com', '"a,b"@example.com'];
  for (const value of values) await answer(value, 1);
  await answer(PHONE, 1);
  const { text } = await fetchCsv().expect(200);
  expect(text.split('\r\n').map((row) => /,(.*),true/.exec(row)?.[1])).toEqual([
    ...[undefined, PHONE, '"""a,b""@example.com"', "'-x@example.com", "'+x@example.com", "'=1+1@example.com"],
    undefined,
  ]);
});

test.each<[string, object, string]>([
  ['medium', { medium: 'fax' }, 'invalid-medium'],
  ['first', { first: -1 }, 'invalid-limit'],
  ['after', { after: 'nonsense' }, 'invalid-request'],
])('a wrong %s is refused over REST and GraphQL', async (field, variables, type) => {
  const { body } = await service.graphql(LIST, variables, { store });
  expect(body.errors[0].extensions).toMatchObject({ type, status: 400 });
  const query = new URLSearchParams(variables as Record<string, string>).toString();
  const rest = await service.get(`/storeadmin/v3/mailinglist?${query}`, { store }).expect(400);
  expect(rest.body).toMatchObject({ type, msg: expect.stringContaining(field) });
});

test('a wrong acceptmarketing, no key, a session and another store get nothing of it', async () => {
  await answer('ann@example.com', 1);
  const paths = ['/storeadmin/v3/mailinglist', '/storeadmin/v3/mailinglist.csv'];
  const shopper = await service.account(store, 'ann@example.com');
  const session = { 'x-pid': shopper.pid, 'x-regid': shopper.regid, 'x-sessionid': shopper.sessionid };
  const stranger = await service.createStore();
  for (const path of paths) {
    const wrong = await service.get(`${path}?acceptmarketing=maybe`, { store }).expect(400);
    expect(wrong.body.msg).toContain('acceptmarketing');
    for (const headers of [undefined, session]) {
      const { body } = await service.get(path, { headers }).expect(401);
      expect(body.type).toBe('unauthorised');
    }
  }
  const { body } = await service.graphql(LIST, {}, { shopper });
  expect(body.errors[0].extensions.type).toBe('forbidden');
  expect((await service.graphql(LIST, {}, { store: stranger })).body.data.mailingList).toMatchObject({
    edges: [],
    totalCount: 0,
  });
  expect((await service.get(paths[1]!, { store: stranger })).text).toBe(HEADER);
});

test('an export has the answers of a person, and an erasure ends them without telling', async () => {
  const told = await listen();
  const uuid = '3f0c6a52-9d0e-4a67-8a3c-5b1f7f0d2e11';
  const { regid: guest } = await service.guest(store, uuid);
  // The number is nowhere on the record: it belongs to whoever gave it, and follows the login.
  await answer(PHONE, 1, { store, headers: { 'x-regid': guest } });
  await answer('ann@example.com', 1);
  await answer('other@example.com', 1);
  const fields = { uuid, useremail: 'ann@example.com', useragenttype: 'test' };
  await service.post('/storeadmin/v3/user/generate-regid', fields, { store }).expect(200);
  const named = { useremail: 'ann@example.com' };
  const { body } = await service.post('/storeadmin/v3/user/export', named, { store }).expect(200);
  expect(body.data.mailingList).toMatchObject([
    { medium: 'sms', value: PHONE, acceptmarketing: true, acceptsource: 'subscription' },
    { medium: 'email', value: 'ann@example.com', acceptmarketing: true },
  ]);
  const before = (await told()).length;
  await service.graphql('mutation { eraseShopper(useremail: "ann@example.com") { id } }', {}, { store });
  expect(await names()).toEqual(['other@example.com']);
  expect(await names({ acceptmarketing: false })).toEqual([]);
  expect((await told()).length).toBeLessThan(before);
  expect((await told()).map(({ type }) => type)).not.toContain('contact.optedout');
});
