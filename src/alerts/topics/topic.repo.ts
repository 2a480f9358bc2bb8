import type { TopicModel } from '../../generated/prisma/models.ts';
import { arraysOf, columnOf } from '../../platform/database/columns.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { languageOf } from '../../platform/messages.ts';
import { lockStore } from '../../stores/store.repo.ts';
import type { AlertTexts } from '../send/channels.ts';
import { topicRules } from './topic.columns.ts';
import type { RuleName } from './topic.columns.ts';
import { BUILT_IN_TOPICS, expiresBefore } from './topic.rules.ts';
import type { OwnTexts, TopicRow, TopicRules } from './topic.types.ts';

const RULES = {
  name: true,
  trigger: true,
  ...(Object.fromEntries(topicRules.map(({ name }) => [name, true])) as Record<RuleName, true>),
} as const;

const RULE_COLUMNS = topicRules
  .map(({ name, column = columnOf(name) }) => `${column} AS "${name}"`)
  .join(', ');

/** The texts of one language; parts without a column of their own are in `texts`. Those of other languages are in `translations`. */
const TEXTS = {
  ...{ subject: true, html: true, text: true, sms: true, texts: true },
  ...{ textLanguage: true, translations: true },
} as const;

/** A store's locale determines the language of its texts. */
export type TopicStore = { pid: string; locale: string };

type StoredTopic = Pick<TopicModel, keyof typeof RULES | keyof typeof TEXTS>;

function toTopic(row: StoredTopic, locale: string): TopicRow {
  const { subject, html, text, sms, texts, textLanguage, translations, ...rules } = row;
  // Without a text of its own such a column is empty.
  const columns = Object.entries({ subject, html, text, sms }).filter(([, own]) => own !== '');
  const written = { ...(texts as Partial<AlertTexts>), ...Object.fromEntries(columns) };
  const language = textLanguage ?? languageOf(locale);
  const first = Object.keys(written).length === 0 ? {} : { [language]: written };
  return { ...(rules as TopicRules), texts: { ...(translations as OwnTexts), ...first } };
}

/** The built-in topics come first, each replaced by the store's own row of that name if there is one. */
function withBuiltIn<Row extends TopicRules>(own: readonly Row[], builtIn: readonly Row[]): Row[] {
  const first = builtIn.map((topic) => own.find(({ name }) => name === topic.name) ?? topic);
  return [...first, ...own.filter((topic) => !first.includes(topic))];
}

const findBuiltIn = (name: string): TopicRow | null =>
  BUILT_IN_TOPICS.find((topic) => topic.name === name) ?? null;

/** SQL: sums the lengths in the database, because a hundred topics can have 20 MB. */
const TEXT_BYTES = `
  SELECT coalesce(sum(octet_length(concat(subject, html, text, sms, texts, translations))), 0)::int AS bytes FROM topic WHERE pid = $1`;

export async function countTextBytes(db: Db, pid: string): Promise<number> {
  return (await db.query<{ bytes: number }>(TEXT_BYTES, [pid]))[0]!.bytes;
}

export async function topicsOf(db: Db, { pid, locale }: TopicStore): Promise<TopicRow[]> {
  const rows = await db.prisma.topic.findMany({
    where: { pid },
    select: { ...RULES, ...TEXTS },
    orderBy: { name: 'asc' },
  });
  return withBuiltIn(
    rows.map((row) => toTopic(row, locale)),
    BUILT_IN_TOPICS,
  );
}

/** Omits the texts, which can be megabytes, because every stock change reads the rules. */
export async function topicRulesOf(db: Db, pid: string): Promise<TopicRules[]> {
  const own = await db.prisma.topic.findMany({ where: { pid }, select: RULES, orderBy: { name: 'asc' } });
  return withBuiltIn(own as TopicRules[], BUILT_IN_TOPICS);
}

export async function findTopic(db: Db, store: TopicStore, name: string): Promise<TopicRow | null> {
  const { pid, locale } = store;
  const row = await db.prisma.topic.findFirst({ where: { pid, name }, select: { ...RULES, ...TEXTS } });
  return row ? toTopic(row, locale) : findBuiltIn(name);
}

export async function findTopicRules(db: Db, pid: string, name: string): Promise<TopicRules | null> {
  const own = await db.prisma.topic.findFirst({ where: { pid, name }, select: RULES });
  return (own as TopicRules | null) ?? findBuiltIn(name);
}

/** SQL: every batch of alerts runs it, for topics of several stores at once. */
const LOAD = {
  name: 'topics_by_name',
  text: `
    SELECT pid, topic.name, trigger, ${RULE_COLUMNS}, subject, html, text, sms, texts, text_language AS "textLanguage", translations, locale FROM topic
    JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS wanted(pid, name)) wanted USING (pid, name) JOIN store USING (pid)`,
};

/** Returns the topics in the order of `wanted`, each read once; null if there is none. */
export async function loadTopics(db: Db, wanted: readonly { pid: string; name: string }[]) {
  const rows = await db.query<StoredTopic & TopicStore>(LOAD, arraysOf(wanted, 'pid', 'name'));
  const own = new Map(rows.map(({ pid, locale, ...row }) => [`${pid} ${row.name}`, toTopic(row, locale)]));
  return wanted.map(({ pid, name }) => own.get(`${pid} ${name}`) ?? findBuiltIn(name));
}

/** Locks the store until the transaction ends and returns the number of its own topics. */
export async function lockTopics(tx: Tx, pid: string): Promise<number> {
  await lockStore(tx, pid);
  const name = { notIn: BUILT_IN_TOPICS.map((topic) => topic.name) };
  return BUILT_IN_TOPICS.length + (await tx.prisma.topic.count({ where: { pid, name } }));
}

/** The store's language has columns of its own, which older versions read. */
export async function saveTopic(db: Db, { pid, locale }: TopicStore, topic: TopicRow, now: Date) {
  const { texts: all, ...rules } = topic;
  const textLanguage = languageOf(locale);
  const { [textLanguage]: own = {}, ...translations } = all;
  const { subject = '', html = '', text = '', sms = '', ...texts } = own;
  const data = { ...rules, subject, html, text, sms, texts, textLanguage, translations, uts: now };
  await db.prisma.topic.upsert({
    where: { pid_name: { pid, name: topic.name } },
    create: { ...data, pid, cts: now },
    update: data,
  });
}

/** Deletes the reference prices of a topic, because its trigger changed or starts again. */
export async function forgetMarks(tx: Tx, pid: string, name: string): Promise<void> {
  await tx.prisma.priceMark.deleteMany({ where: { pid, topic: name } });
}

export async function deleteTopic(tx: Tx, pid: string, name: string): Promise<boolean> {
  await forgetMarks(tx, pid, name);
  return (await tx.prisma.topic.deleteMany({ where: { pid, name } })).count > 0;
}

export type AudienceRow = { count: number; media: { medium: string; count: number }[] };

/** Counts confirmed subscriptions of a topic that have not expired, for `epis` or for all variants. */
export async function countAudience(
  db: Db,
  pid: string,
  name: string,
  epis: readonly string[] | null,
  now: Date,
): Promise<AudienceRow> {
  const topic = await findTopicRules(db, pid, name);
  const oldest = topic && expiresBefore(topic, now);
  const groups = await db.prisma.subscription.groupBy({
    by: ['medium'],
    _count: true,
    where: {
      pid,
      topic: name,
      confirmedAt: { not: null },
      ...(epis && { epi: { in: [...epis] } }),
      ...(oldest && { OR: [{ renewedAt: { gt: oldest } }, { renewedAt: null, cts: { gt: oldest } }] }),
    },
  });
  const media = groups.map(({ medium, _count: count }) => ({ medium, count }));
  return { count: media.reduce((sum, { count }) => sum + count, 0), media };
}
