import { randomUUID } from 'node:crypto';
import type { Db, Tx } from '../../src/database/database.ts';
import { enqueueMessage } from '../../src/outbox/outbox.repo.ts';
import { applyChanges } from '../../src/domain/restock/restock.service.ts';
import type { TestService } from '../harness.ts';

/** A subscription to put straight into the table. */
export type SeedSubscription = {
  epi: string;
  value?: string;
  medium?: string;
  topic?: string;
  du?: string;
  isConfirmed?: boolean;
  at?: Date;
};

/** Adds a subscription as the subscribe call would, and answers its id. */
export async function seedSubscription(db: Db, pid: string, seed: SeedSubscription): Promise<string> {
  const id = randomUUID();
  const at = seed.at ?? new Date();
  await db.query(
    `INSERT INTO subscription (pid, id, medium, value, epi, empi, du, topic, confirmed_at, cts) VALUES ($1, $2, $3, $4, $5, '1', $6, $7, $8, $9)`,
    [
      pid,
      id,
      seed.medium ?? 'email',
      seed.value ?? `${id}@example.com`,
      seed.epi,
      seed.du ?? 'https://shop.example/p/1',
      seed.topic ?? 'backinstock',
      seed.isConfirmed === false ? null : at,
      at,
    ],
  );
  return id;
}

/** Adds many confirmed subscriptions to one variant with one statement. */
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

/** Adds accounts that accept marketing and have one variant in so many lists each, a statement a table. */
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

/** A product to put straight into the table. */
export type SeedProduct = { epi: string; dt?: string; stk?: number | null; uri?: string; tags?: string[] };

/** Sets a variant's stock the way the catalogue does: the row and its consequences in one transaction. */
export async function setStock(
  { services }: TestService,
  pid: string,
  epi: string,
  stk: number | null,
  product: Partial<SeedProduct> = {},
): Promise<void> {
  await services.db.transaction(async (tx) => {
    const [old] = await tx.query<{ stk: number | null; tags: string[] }>(
      'SELECT stk, tags FROM product WHERE pid = $1 AND epi = $2 FOR UPDATE',
      [pid, epi],
    );
    const tags = product.tags ?? old?.tags ?? [];
    await tx.query(
      `INSERT INTO product (pid, epi, empi, dt, du, uri, stk, tags) VALUES ($1, $2, '1', $3, 'https://shop.example/p/1', $4, $5, $6)
       ON CONFLICT (pid, epi) DO UPDATE SET stk = excluded.stk, dt = coalesce($3, product.dt), tags = excluded.tags`,
      [pid, epi, product.dt ?? null, product.uri ?? `https://shop.example/p/1?variant=${epi}`, stk, tags],
    );
    const before = { stk: old?.stk ?? null, pr: null, tags: old?.tags ?? [] };
    const after = { stk, pr: null, tags };
    await applyChanges(tx, pid, [{ epi, isNew: !old, goneSince: null, before, after }], services.now());
  });
}

/** Rows of the outbox of a store, oldest first. */
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
    'SELECT id, lane, medium, kind, recipient, state, attempts, error, payload FROM outbox WHERE pid = $1 ORDER BY seq',
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
