import type { Db } from '../../platform/database/database.ts';
import { shippedLanguage } from '../../platform/messages.ts';
import type { ContactKey } from './contact.rules.ts';

/** The language of a subscription, else that of the account with the contact's address; all are SQL expressions. */
export const languageOrAccounts = (language: string, pid: string, value: string): string =>
  `coalesce(${language}, (SELECT a.language FROM shopper a WHERE a.pid = ${pid} AND a.em = ${value}))`;

/** SQL: three tables in one round trip. A confirmed request goes first, because a stranger may have made another one. */
const FIND = {
  name: 'find_reader_language',
  text: `
    WITH asked AS (
      SELECT language, confirmed_at IS NULL AS is_pending, coalesce(renewed_at, cts) AS at
      FROM subscription WHERE pid = $1 AND medium = $2 AND value = $3 AND language IS NOT NULL
      UNION ALL
      SELECT language, confirmed_at IS NULL, coalesce(renewed_at, cts)
      FROM subscription_request WHERE pid = $1 AND medium = $2 AND value = $3 AND language IS NOT NULL
      ORDER BY is_pending, at DESC LIMIT 1)
    SELECT ${languageOrAccounts('(SELECT language FROM asked)', '$1', '$3')} AS language`,
};

/** The shipped language that a contact reads: `wanted`, else that of its newest subscription, its account's, the store's. */
export async function readerLanguage(
  db: Db,
  { pid, locale }: { pid: string; locale: string },
  { medium, value }: ContactKey,
  wanted: string | null,
): Promise<string> {
  if (wanted !== null) return shippedLanguage(wanted, locale);
  const [found] = await db.query<{ language: string | null }>(FIND, [pid, medium, value]);
  return shippedLanguage(found!.language, locale);
}
