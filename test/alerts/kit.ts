import { randomUUID } from 'node:crypto';
import { enqueueMessage } from '../../src/alerts/queue/outbox.repo.ts';
import type { MailSettings } from '../../src/alerts/send/smtp.ts';
import type { Config } from '../../src/config.ts';
import type { Db, Tx } from '../../src/platform/database/database.ts';
import { useService } from '../harness.ts';
import type { StoreAccess, TestService } from '../harness.ts';
import { accept, startHttp, startSmtp } from './receivers.ts';
import type { TestHttp, TestSmtp } from './receivers.ts';

/** A service of the file that sends to test receivers, without `mail` only SMS; each test finds the receivers empty and willing. */
export function useReceivers({
  mail = {},
  ...config
}: Partial<Config> & { mail?: Partial<MailSettings> | null } = {}) {
  const smtp = {} as TestSmtp;
  const provider = {} as TestHttp;
  beforeAll(async () => {
    await startSmtp(smtp);
    await startHttp(provider);
  });
  const service = useService(() => ({
    publicUrl: 'https://alerts.example',
    channels: {
      ...(mail && {
        email: { smtpUrl: smtp.url, from: 'alerts@store.example', connections: 3, dkim: null, ...mail },
      }),
      sms: { baseUrl: provider.url, account: 'AC1', token: 'secret', from: '+4930999' },
    },
    ...config,
  }));
  afterAll(async () => {
    await smtp.close();
    await provider.close();
  });
  beforeEach(async () => {
    // What an earlier test has not sent is not sent in this one.
    for (const table of ['outbox', 'restock']) await service.services.db.query(`DELETE FROM ${table}`);
    smtp.received.length = 0;
    provider.received.length = 0;
    smtp.refuse = smtp.refuseData = () => null;
    provider.answer = accept;
  });
  return { service, smtp, provider };
}

/** A subscription to make. */
export type SeedSubscription = {
  epi: string;
  value?: string;
  medium?: string;
  topic?: string;
  addtomailinglist?: 0 | 1;
  /** False for one that a guest asks for, which waits until the contact confirms it. */
  isConfirmed?: boolean;
};

/** Subscribes a contact by the store's call. */
export async function seedSubscription(
  service: TestService,
  store: StoreAccess,
  {
    epi,
    value,
    medium = 'email',
    topic = 'backinstock',
    addtomailinglist,
    isConfirmed = true,
  }: SeedSubscription,
): Promise<void> {
  const { body } = await service.graphql(
    'mutation ($input: SubscribeInput!) { subscribe(input: $input) { confirmed } }',
    {
      input: {
        medium,
        mediumvalue: value ?? `${randomUUID()}@example.com`,
        products: [{ epi, empi: 1, du: 'https://shop.example/p/1' }],
        topics: [topic],
        addtomailinglist,
      },
    },
    isConfirmed ? { store } : { shopper: await service.guest(store) },
  );
  expect(body).toEqual({ data: { subscribe: { confirmed: isConfirmed } } });
}

/** Saves a topic's rules and texts: those of back in stock, unless the input names another. */
export async function saveTopic(service: TestService, store: StoreAccess, input: object): Promise<void> {
  const { body } = await service.graphql(
    'mutation ($input: SaveTopicInput!) { saveTopic(input: $input) { name } }',
    { input: { name: 'backinstock', ...input } },
    { store },
  );
  expect(body.errors).toBeUndefined();
}

/** Ends the subscriptions of an e-mail address, or that to one variant, by the store's call. */
export async function unsubscribe(
  service: TestService,
  store: StoreAccess,
  mediumvalue: string,
  epi?: string,
): Promise<void> {
  const fields = { medium: 'email', mediumvalue, epi };
  await service.post('/storeadmin/bispa/subscriptions/remove', fields, { store }).expect(200);
}

/** Adds many confirmed subscriptions to one variant with one statement: thousands of calls would take minutes. */
export async function seedSubscribers(
  db: Db,
  pid: string,
  epi: string,
  count: number,
  topic = 'backinstock',
): Promise<void> {
  await db.query(
    `INSERT INTO subscription (pid, id, medium, value, epi, empi, du, topic, confirmed_at, cts)
     SELECT $1, gen_random_uuid()::text, 'email', 's' || n || '@example.com', $2, '1', 'https://shop.example/p/1', $4, now(), now()
     FROM generate_series(1, $3) n`,
    [pid, epi, count, topic],
  );
}

/** Adds accounts that accept marketing and have one variant in so many lists each, a statement a table: thousands of calls would take minutes. */
export async function seedHolders(
  db: Db,
  pid: string,
  epi: string,
  count: number,
  lists: number,
): Promise<void> {
  await db.query(
    `INSERT INTO shopper (pid, regid, is_guest, uid, di, em, lastlogin)
     SELECT $1, 'r' || n, false, 'u' || n, 'd', 's' || n || '@example.com', now() FROM generate_series(1, $2) n`,
    [pid, count],
  );
  await db.query(
    `INSERT INTO list (pid, lid, regid, lname, di, uid)
     SELECT $1, 'l' || n || '-' || l, 'r' || n, 'List', 'd', 'u' FROM generate_series(1, $2) n, generate_series(1, $3) l`,
    [pid, count, lists],
  );
  await db.query(
    `INSERT INTO item (pid, lid, epi, id, empi, du, di)
     SELECT $1, 'l' || n || '-' || l, $4, n || '-' || l, '1', '/p', 'd' FROM generate_series(1, $2) n, generate_series(1, $3) l`,
    [pid, count, lists, epi],
  );
  await db.query(
    `INSERT INTO mailing_answer (pid, medium, value, acceptmarketing, signuptime, acceptsource, regid)
     SELECT $1, 'email', 's' || n || '@example.com', true, now(), 'subscription', 'r' || n FROM generate_series(1, $2) n`,
    [pid, count],
  );
}

/** What a store tells of a variant beside its stock. */
export type SeedProduct = { dt?: string; uri?: string; tags?: string[]; pr?: number };

/** Sets a variant's stock as the store's feed does; null leaves it as it is, or unknown. */
export async function setStock(
  service: TestService,
  store: StoreAccess,
  epi: string,
  stk: number | null,
  { uri = `https://shop.example/p/1?variant=${epi}`, ...more }: SeedProduct = {},
): Promise<void> {
  const products = [{ epi, empi: 1, du: 'https://shop.example/p/1', uri, ...more, stk }];
  await service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200);
}

/** Rows of the outbox of a store by variant, oldest first: restocks of one moment are worked on in any order. */
export function outboxOf(
  { services }: TestService,
  pid: string,
): Promise<
  {
    id: string;
    lane: string;
    medium: string | null;
    kind: string;
    recipient: string;
    state: string;
    attempts: number;
    error: string | null;
    payload: unknown;
  }[]
> {
  return services.db.query(
    'SELECT id, lane, medium, kind, recipient, state, attempts, error, payload FROM outbox WHERE pid = $1 ORDER BY epi NULLS FIRST, seq',
    [pid],
  );
}

type TestMail = { pid: string; kind: string; to: string; subject: string; html: string; text: string };

/** Queues a mail that is rendered already, such as that of a shared list. */
export function enqueueMail(
  tx: Tx,
  mail: TestMail & { dedupeKey?: string },
  now: Date,
): Promise<string | null> {
  const { pid, kind, to, dedupeKey, ...payload } = mail;
  return enqueueMessage(tx, { pid, medium: 'email', kind, recipient: to, payload, dedupeKey }, now);
}
