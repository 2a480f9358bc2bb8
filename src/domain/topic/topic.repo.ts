import type { Db, Tx } from '../../database/database.ts';
import { BUILT_IN_TOPICS, expiresBefore } from './topic.rules.ts';
import type { TopicRow, TopicRules } from './topic.rules.ts';

const RULES = `name, trigger, tag, min_stock AS "minStock", batch_size AS "batchSize", batch_interval_s AS "batchIntervalSeconds",
  shoppers_per_unit AS "shoppersPerUnit", cool_down_s AS "coolDownSeconds", expiry_days AS "expiryDays"`;
const TEXTS = 'subject, html, text, sms';

/** A store's own rows behind the built-in topics, each of which gives way to the store's row of its name. */
function withBuiltIn<Row extends TopicRules>(own: readonly Row[], builtIn: readonly Row[]): Row[] {
  const first = builtIn.map((topic) => own.find(({ name }) => name === topic.name) ?? topic);
  return [...first, ...own.filter((topic) => !first.includes(topic))];
}

const findBuiltIn = (name: string): TopicRow | null =>
  BUILT_IN_TOPICS.find((topic) => topic.name === name) ?? null;

const SELECT = {
  name: 'topics_of',
  text: `SELECT ${RULES}, ${TEXTS} FROM topic WHERE pid = $1 ORDER BY name`,
};

/** What all texts of a store's topics take; a hundred topics can have 20 MB. */
export async function countTextBytes(db: Db, pid: string): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(
    `SELECT coalesce(sum(octet_length(concat(${TEXTS}))), 0)::int AS bytes FROM topic WHERE pid = $1`,
    [pid],
  );
  return row!.bytes;
}

/** All topics of one store, the built-in ones first. */
export async function topicsOf(db: Db, pid: string): Promise<TopicRow[]> {
  return withBuiltIn(await db.query<TopicRow>(SELECT, [pid]), BUILT_IN_TOPICS);
}

const SELECT_RULES = {
  name: 'topic_rules_of',
  text: `SELECT ${RULES} FROM topic WHERE pid = $1 ORDER BY name`,
};

/** The same without the texts, which may be megabytes: every change of stock reads this. */
export async function topicRulesOf(db: Db, pid: string): Promise<TopicRules[]> {
  return withBuiltIn<TopicRules>(await db.query<TopicRules>(SELECT_RULES, [pid]), BUILT_IN_TOPICS);
}

/** One topic, or null. */
export async function findTopic(db: Db, pid: string, name: string): Promise<TopicRow | null> {
  return (await loadTopics(db, [{ pid, name }]))[0]!;
}

/** The rules of one topic, or null. */
export async function findTopicRules(db: Db, pid: string, name: string): Promise<TopicRules | null> {
  const [own] = await db.query<TopicRules>(
    { name: 'topic_rules', text: `SELECT ${RULES} FROM topic WHERE pid = $1 AND name = $2` },
    [pid, name],
  );
  return own ?? findBuiltIn(name);
}

const LOAD = {
  name: 'topics_by_name',
  text: `
    SELECT pid, ${RULES}, ${TEXTS} FROM topic
    JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS wanted(pid, name)) wanted USING (pid, name)`,
};

/** Some topics in the order asked for, each read once; null where there is none. */
export async function loadTopics(
  db: Db,
  wanted: readonly { pid: string; name: string }[],
): Promise<(TopicRow | null)[]> {
  const rows = await db.query<TopicRow & { pid: string }>(LOAD, [
    wanted.map(({ pid }) => pid),
    wanted.map(({ name }) => name),
  ]);
  return wanted.map(
    ({ pid, name }) => rows.find((row) => row.pid === pid && row.name === name) ?? findBuiltIn(name),
  );
}

/** How many topics a store has, with the store locked, so that nobody else changes them until the transaction ends. */
export async function lockTopics(tx: Tx, pid: string): Promise<number> {
  await tx.query('SELECT 1 FROM store WHERE pid = $1 FOR NO KEY UPDATE', [pid]);
  const [row] = await tx.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM topic WHERE pid = $1 AND name <> ALL ($2::text[])',
    [pid, BUILT_IN_TOPICS.map(({ name }) => name)],
  );
  return BUILT_IN_TOPICS.length + row!.count;
}

/** Stores a topic whole. */
export async function saveTopic(db: Db, pid: string, topic: TopicRow, now: Date): Promise<void> {
  await db.query(
    `INSERT INTO topic (pid, name, trigger, tag, subject, html, text, sms, min_stock, batch_size, batch_interval_s, shoppers_per_unit,
       cool_down_s, expiry_days, cts, uts)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15)
     ON CONFLICT (pid, name) DO UPDATE SET trigger = excluded.trigger, tag = excluded.tag, subject = excluded.subject,
       html = excluded.html, text = excluded.text, sms = excluded.sms, min_stock = excluded.min_stock,
       batch_size = excluded.batch_size, batch_interval_s = excluded.batch_interval_s,
       shoppers_per_unit = excluded.shoppers_per_unit, cool_down_s = excluded.cool_down_s,
       expiry_days = excluded.expiry_days, uts = excluded.uts`,
    [
      pid,
      topic.name,
      topic.trigger,
      topic.tag,
      topic.subject,
      topic.html,
      topic.text,
      topic.sms,
      topic.minStock,
      topic.batchSize,
      topic.batchIntervalSeconds,
      topic.shoppersPerUnit,
      topic.coolDownSeconds,
      topic.expiryDays,
      now,
    ],
  );
}

/** Subscribers who would hear of a topic. */
export type AudienceRow = { count: number; email: number; sms: number };

/** Counts confirmed subscriptions of a topic that have not expired, for one variant or for all. */
export async function countAudience(
  db: Db,
  pid: string,
  name: string,
  epi: string | null,
  now: Date,
): Promise<AudienceRow> {
  const topic = await findTopicRules(db, pid, name);
  const [row] = await db.query<AudienceRow>(
    `SELECT count(*)::int AS count, count(*) FILTER (WHERE medium = 'email')::int AS email, count(*) FILTER (WHERE medium = 'sms')::int AS sms
     FROM subscription WHERE pid = $1 AND topic = $2 AND ($3::text IS NULL OR epi = $3) AND confirmed_at IS NOT NULL
       AND ($4::timestamptz IS NULL OR coalesce(renewed_at, cts) > $4)`,
    [pid, name, epi, topic && expiresBefore(topic, now)],
  );
  return row!;
}
