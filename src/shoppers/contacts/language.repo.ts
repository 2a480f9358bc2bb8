import type { Db } from '../../platform/database/database.ts';
import { shippedLanguage } from '../../platform/messages.ts';
import { isAccountContact } from './contact.rules.ts';
import type { ContactKey } from './contact.rules.ts';

/** SQL: three tables in one round trip. A confirmed request goes first, because a stranger may have made another one. */
const FIND = {
  name: 'find_reader_language',
  text: `
    SELECT language FROM (
      SELECT s.language, s.confirmed_at IS NULL AS is_pending, coalesce(s.renewed_at, s.cts) AS at
      FROM subscription s WHERE s.pid = $1 AND s.medium = $2 AND s.value = $3
      UNION ALL
      SELECT q.language, q.confirmed_at IS NULL, coalesce(q.renewed_at, q.cts)
      FROM subscription_request q WHERE q.pid = $1 AND q.medium = $2 AND q.value = $3
      UNION ALL
      SELECT a.language, NULL, NULL FROM shopper a WHERE $4 AND a.pid = $1 AND a.em = $3
    ) found WHERE language IS NOT NULL ORDER BY is_pending NULLS LAST, at DESC NULLS LAST LIMIT 1`,
};

/** The shipped language that a contact reads: `wanted`, else that of its newest subscription, its account's, the store's. */
export async function readerLanguage(
  db: Db,
  { pid, locale }: { pid: string; locale: string },
  { medium, value }: ContactKey,
  wanted: string | null,
): Promise<string> {
  if (wanted !== null) return shippedLanguage(wanted, locale);
  const params = [pid, medium, value, isAccountContact({ medium })];
  const [found] = await db.query<{ language: string }>(FIND, params);
  return shippedLanguage(found?.language ?? null, locale);
}
