import { selectColumns } from '../../platform/database/columns.ts';
import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import type { MailingAnswerModel } from '../../generated/prisma/models.ts';
import type { Medium } from './contact.rules.ts';

const FIELDS = {
  medium: true,
  value: true,
  acceptmarketing: true,
  signuptime: true,
  acceptsource: true,
  regid: true,
  seq: true,
} as const;
const COLUMNS = selectColumns('a', Object.keys(FIELDS));

/** A contact with its last answer about the mailing list. */
export type AnswerRow = Raw<Pick<MailingAnswerModel, keyof typeof FIELDS>>;

/** A contact whose medium may be one of the past. */
export type AnyContact = Pick<AnswerRow, 'medium' | 'value'>;

/** An answer to be recorded; a null regid leaves it with whom it was given under before. */
export type NewAnswer = Pick<AnswerRow, 'acceptmarketing' | 'acceptsource'> & { regid: string | null };

/** SQL: says in one statement whether the answer is another than before, however many give one at once; an upsert of Prisma does not tell. */
const SAVE = {
  name: 'save_mailing_answer',
  text: `
    INSERT INTO mailing_answer AS a (pid, medium, value, acceptmarketing, signuptime, acceptsource, regid)
    VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, ''))
    ON CONFLICT (pid, medium, value) DO UPDATE SET acceptmarketing = excluded.acceptmarketing, signuptime = excluded.signuptime,
      acceptsource = excluded.acceptsource, regid = coalesce($7, a.regid)
    WHERE a.acceptmarketing <> excluded.acceptmarketing
    RETURNING ${COLUMNS}`,
};

/** Records an answer; null when the contact had answered the same before. */
export async function saveAnswer(
  tx: Tx,
  pid: string,
  { medium, value }: AnyContact,
  { acceptmarketing, acceptsource, regid }: NewAnswer,
  now: Date,
): Promise<AnswerRow | null> {
  const params = [pid, medium, value, acceptmarketing, now, acceptsource, regid];
  const [row] = await tx.query<AnswerRow>(SAVE, params);
  return row ?? null;
}

const toRow = (row: Pick<MailingAnswerModel, keyof typeof FIELDS>): AnswerRow => ({
  ...row,
  seq: Number(row.seq),
});

/** What a contact answered last, or null. */
export async function findAnswer(
  db: Db,
  pid: string,
  { medium, value }: AnyContact,
): Promise<AnswerRow | null> {
  const row = await db.prisma.mailingAnswer.findFirst({ where: { pid, medium, value }, select: FIELDS });
  return row && toRow(row);
}

/** Which answers: yes or no, of one medium or with null of all. */
export type AnswerFilter = { acceptmarketing: boolean; medium: Medium | null };

const whereOf = (pid: string, { acceptmarketing, medium }: AnswerFilter) => ({
  pid,
  acceptmarketing,
  ...(medium === null ? {} : { medium }),
});

/** A page of contacts, those first that answered for the first time last. */
export async function listAnswers(
  db: Db,
  pid: string,
  filter: AnswerFilter,
  { before, limit }: { before: number | null; limit: number },
): Promise<AnswerRow[]> {
  const rows = await db.prisma.mailingAnswer.findMany({
    where: { ...whereOf(pid, filter), ...(before === null ? {} : { seq: { lt: before } }) },
    select: FIELDS,
    orderBy: { seq: 'desc' },
    take: limit,
  });
  return rows.map(toRow);
}

/** How many contacts there are over all pages. */
export function countAnswers(db: Db, pid: string, filter: AnswerFilter): Promise<number> {
  return db.prisma.mailingAnswer.count({ where: whereOf(pid, filter) });
}

/** Forgets what a contact left of what it hears because of its lists. */
export async function unmute(tx: Tx, pid: string, { medium, value }: AnyContact): Promise<void> {
  await tx.prisma.alertMute.deleteMany({ where: { pid, medium, value } });
}

/** Hands the answers under a guest's regid to the account it was merged into. */
export async function moveAnswers(tx: Tx, pid: string, fromRegid: string, toRegid: string): Promise<void> {
  await tx.prisma.mailingAnswer.updateMany({ where: { pid, regid: fromRegid }, data: { regid: toRegid } });
}
