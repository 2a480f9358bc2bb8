import { settleSubscriptions } from '../../alerts/subscriptions/subscription.repo.ts';
import { renameRecipient } from '../../lists/trash.repo.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { IdentityKey } from '../shopper.repo.ts';
import type { Choice } from '../contacts/consent.rules.ts';
import { ACCOUNT_MEDIA } from '../contacts/contact.rules.ts';

/** The account with this regid moves from one address to the other. */
export type AddressChange = IdentityKey & { from: string; to: string };

type Keyed = { medium: string; value: string; epi: string; topic: string };

const isAt = (table: string, value: string): string =>
  `${table}.pid = $1 AND ${table}.medium = ANY ($2::text[]) AND ${table}.value = ${value}`;

/** SQL: locks in the order of sign-ups. */
const LOCK = `
  SELECT FROM subscription s WHERE s.pid = $1 AND s.medium = ANY ($2::text[]) AND s.value IN ($3, $4)
  ORDER BY s.epi COLLATE "C", s.topic COLLATE "C", s.medium, s.value FOR UPDATE`;

/** SQL: locks rows. An alert that is being queued has the old address, and is committed once its event is free. */
const AWAIT_QUEUING = `SELECT FROM restock WHERE pid = $1 AND state = 'open' ORDER BY id FOR UPDATE`;

/** SQL: joins rows of one table. Of two subscriptions for the same, the confirmed one stays, else the older; it gets the requests of both. */
const DROP_DOUBLES = `
  WITH pair AS (
    SELECT CASE WHEN is_moved THEN s.id ELSE t.id END AS kept, CASE WHEN is_moved THEN t.id ELSE s.id END AS dropped
    FROM subscription s JOIN subscription t USING (pid, medium, epi, topic)
    CROSS JOIN LATERAL (SELECT (s.confirmed_at IS NULL, s.seq) < (t.confirmed_at IS NULL, t.seq) AS is_moved) first
    WHERE ${isAt('s', '$3')} AND t.value = $4),
  relinked AS (
    UPDATE subscription_request q SET subscription_id = p.kept FROM pair p WHERE q.pid = $1 AND q.subscription_id = p.dropped)
  DELETE FROM subscription s USING pair p WHERE s.pid = $1 AND s.id = p.dropped`;

/** A stranger's request that waits for its confirmation stays with the mailbox that its link went to. */
const IS_MOVED = `${isAt('q', '$3')} AND (q.subscription_id IS NOT NULL OR q.regid = $5)`;

/** SQL: joins rows of one table. Of two requests of one requester, the confirmed one stays, else the one at the new address. */
const DROP_DOUBLE_REQUESTS = `
  DELETE FROM subscription_request x USING subscription_request q JOIN subscription_request t USING (pid, medium, epi, topic, regid)
  WHERE ${IS_MOVED} AND t.value = $4 AND x.pid = $1
    AND x.id = CASE WHEN t.confirmed_at IS NOT NULL OR q.confirmed_at IS NULL THEN q.id ELSE t.id END`;

/** SQL: no message with a link has gone to the new address. */
const MOVE_REQUESTS = `UPDATE subscription_request q SET value = $4, told_at = NULL WHERE ${IS_MOVED}`;

/** SQL: returns the rows. */
const MOVE_SUBSCRIPTIONS = `
  UPDATE subscription s SET value = $4 WHERE ${isAt('s', '$3')} RETURNING s.medium, s.value, s.epi, s.topic`;

/** SQL: one statement for a table each. What was stored about the new address already wins. */
const MOVE_ALERTS = `
  WITH seen AS (DELETE FROM alert_seen x WHERE ${isAt('x', '$3')} RETURNING *),
  kept AS (
    INSERT INTO alert_seen AS a (pid, medium, value, epi, topic, sent_at) SELECT pid, medium, $4, epi, topic, sent_at FROM seen
    ON CONFLICT (pid, epi, topic, medium, value) DO UPDATE SET sent_at = greatest(a.sent_at, excluded.sent_at)),
  clicked AS (UPDATE alert_click x SET value = $4 WHERE ${isAt('x', '$3')})
  UPDATE outbox o SET recipient = $4
  WHERE o.pid = $1 AND o.lane = 'alert' AND o.medium = ANY ($2::text[]) AND o.recipient = $3 AND (o.subscription_id IS NOT NULL OR NOT EXISTS (
    SELECT FROM outbox q WHERE q.pid = o.pid AND q.lane = 'alert' AND q.state = 'queued' AND q.subscription_id IS NULL
      AND (q.epi, q.topic, q.medium) = (o.epi, o.topic, o.medium) AND q.recipient = $4))`;

/** What a person has declined; their other columns. */
const OPT_OUTS = Object.entries({ suppression: 'cts', alert_mute: 'topic, epi, cts', unmeasured: 'cts' });

/** SQL: set-wise. The opt-out also stays where it was given, because the mailbox may still be the person's. */
const copyOptOuts = ([table, columns]: [string, string]): string => `
  INSERT INTO ${table} (pid, medium, value, ${columns}) SELECT pid, medium, $4, ${columns} FROM ${table} x WHERE ${isAt('x', '$3')}
  ON CONFLICT DO NOTHING`;

/** Moves subscriptions with their requests, alerts, orders and lists made for the account, copies opt-outs, and ends what the old mailbox has confirmed. */
export async function moveContact(tx: Tx, { pid, regid, from, to }: AddressChange): Promise<void> {
  const params = [pid, ACCOUNT_MEDIA, from, to];
  await tx.query(LOCK, params);
  await tx.query(DROP_DOUBLES, params);
  await tx.query(DROP_DOUBLE_REQUESTS, [...params, regid]);
  await tx.query(MOVE_REQUESTS, [...params, regid]);
  const moved = await tx.query<Keyed>(MOVE_SUBSCRIPTIONS, params);
  // One that nobody of those who moved has asked for, and nobody has confirmed, ends.
  await settleSubscriptions(
    tx,
    pid,
    moved.map((row) => ({ ...row, subscriptionId: null })),
  );
  await tx.query(AWAIT_QUEUING, [pid]);
  await tx.query(MOVE_ALERTS, params);
  for (const table of OPT_OUTS) await tx.query(copyOptOuts(table), params);
  const old = { pid, medium: { in: ACCOUNT_MEDIA }, value: from };
  await tx.prisma.contactProof.deleteMany({ where: old });
  await tx.prisma.orderReport.updateMany({ where: { pid, email: from }, data: { email: to } });
  await tx.prisma.list.updateMany({ where: { pid, cfor: from }, data: { cfor: to } });
  await renameRecipient(tx, pid, from, to);
}

/** SQL: compares two rows. An opt-out of either address wins; a bounce is about the old mailbox alone. */
const MOVE_CHOICES = `
  INSERT INTO mailing_answer AS a (pid, medium, value, acceptmarketing, signuptime, acceptsource, regid)
  SELECT x.pid, x.medium, $4, x.acceptmarketing, x.signuptime, x.acceptsource, $5 FROM mailing_answer x
  WHERE ${isAt('x', '$3')} AND x.acceptsource <> 'bounce'
  ON CONFLICT (pid, medium, value) DO UPDATE SET acceptmarketing = false, signuptime = excluded.signuptime, acceptsource = excluded.acceptsource
  WHERE a.acceptmarketing AND NOT excluded.acceptmarketing
  RETURNING a.medium, a.value, a.acceptmarketing, a.signuptime, a.acceptsource`;

/**
 * Moves the choices about the mailing list; an opt-out also stays. Returns the choices of the new address, and which of both have changed: an opt-in
 * that moves has ended at the old one.
 */
export async function moveChoices(tx: Tx, { pid, regid, from, to }: AddressChange) {
  const { mailingAnswer } = tx.prisma;
  const [old, own] = [from, to].map((value) => ({ pid, medium: { in: ACCOUNT_MEDIA }, value }));
  const given = await mailingAnswer.findMany({ where: { ...old, acceptmarketing: true } });
  const changed = await tx.query<Choice>(MOVE_CHOICES, [pid, ACCOUNT_MEDIA, from, to, regid]);
  await mailingAnswer.deleteMany({ where: { ...old, acceptmarketing: true } });
  await mailingAnswer.updateMany({ where: { ...old }, data: { regid: '' } });
  await mailingAnswer.updateMany({ where: { ...own }, data: { regid } });
  const ended = given.map((choice) => ({ ...choice, acceptmarketing: false }));
  return { changed: [...ended, ...changed], current: await mailingAnswer.findMany({ where: { ...own } }) };
}

export async function noteFormerAddress(tx: Tx, { pid, regid, from, to }: AddressChange, now: Date) {
  await tx.prisma.formerAddress.deleteMany({ where: { pid, regid, em: to } });
  await tx.prisma.formerAddress.createMany({ data: { pid, regid, em: from, movedAt: now } });
}
