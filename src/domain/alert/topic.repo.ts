import type { Db } from '../../database/database.ts';
import { BUILT_IN_TOPICS, expiresBefore } from './topic.rules.ts';
import type { TopicRow } from './topic.rules.ts';

const COLUMNS = `name, trigger, tag, subject, html, text, sms, min_stock AS "minStock", batch_size AS "batchSize",
  batch_interval_s AS "batchIntervalSeconds", shoppers_per_unit AS "shoppersPerUnit", cool_down_s AS "coolDownSeconds",
  expiry_days AS "expiryDays"`;

const SELECT = {
  name: 'topics_of',
  text: `SELECT pid, ${COLUMNS} FROM topic WHERE pid = ANY ($1::text[]) ORDER BY name`,
};

/** All topics of some stores, the built-in ones first. */
export async function loadTopics(db: Db, pids: readonly string[]): Promise<Map<string, TopicRow[]>> {
  const rows = await db.query<TopicRow & { pid: string }>(SELECT, [pids]);
  return new Map(
    pids.map((pid) => {
      const own = rows.filter((row) => row.pid === pid).map(({ pid: _pid, ...topic }) => topic);
      const builtIn = BUILT_IN_TOPICS.map((topic) => own.find(({ name }) => name === topic.name) ?? topic);
      return [pid, [...builtIn, ...own.filter(({ name }) => !builtIn.some((topic) => topic.name === name))]];
    }),
  );
}

/** All topics of one store, the built-in ones first. */
export async function topicsOf(db: Db, pid: string): Promise<TopicRow[]> {
  return (await loadTopics(db, [pid])).get(pid)!;
}

/** One topic, or null. */
export async function findTopic(db: Db, pid: string, name: string): Promise<TopicRow | null> {
  return (await topicsOf(db, pid)).find((topic) => topic.name === name) ?? null;
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
  const topic = await findTopic(db, pid, name);
  const [row] = await db.query<AudienceRow>(
    `SELECT count(*)::int AS count, count(*) FILTER (WHERE medium = 'email')::int AS email, count(*) FILTER (WHERE medium = 'sms')::int AS sms
     FROM subscription WHERE pid = $1 AND topic = $2 AND ($3::text IS NULL OR epi = $3) AND confirmed_at IS NOT NULL
       AND ($4::timestamptz IS NULL OR cts > $4)`,
    [pid, name, epi, topic && expiresBefore(topic, now)],
  );
  return row!;
}
