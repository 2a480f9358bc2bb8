import type { Db } from '../../platform/database/database.ts';
import { LIST_OWNER_CONTACTS, hasUnsubscribed } from '../../shoppers/contacts/list-owner.repo.ts';
import type { Medium } from '../send/channels.ts';
import { expiresBefore } from '../topics/topic.rules.ts';
import type { TopicRules } from '../topics/topic.types.ts';

/** SQL: counts contacts over five tables; a subscriber who is also a list owner counts once. */
const RECIPIENTS = `
  SELECT medium, count(*)::int AS people, sum(heard)::int AS messages FROM (
    SELECT medium, value, count(*) AS heard FROM (
      SELECT s.epi, s.medium, s.value FROM subscription s
      WHERE s.pid = $1 AND s.epi = ANY ($2::text[]) AND s.topic = $3 AND s.confirmed_at IS NOT NULL
        AND ($4::timestamptz IS NULL OR coalesce(s.renewed_at, s.cts) > $4)
      UNION
      SELECT x.epi, contact.medium, contact.value
      FROM (SELECT i.epi, i.lid FROM item i WHERE $5 AND i.pid = $1 AND i.epi = ANY ($2::text[]) AND i.lity IS NULL OFFSET 0) x ${LIST_OWNER_CONTACTS}
      WHERE NOT ${hasUnsubscribed('$1', 'contact.medium', 'contact.value', '$3', 'x.epi')}
    ) alert GROUP BY medium, value
  ) contact GROUP BY medium ORDER BY medium`;

export type MediumAudience = { medium: Medium; people: number; messages: number };

/** Counts each contact once, even across several variants. */
export function countRecipients(
  db: Db,
  pid: string,
  topic: TopicRules,
  epis: readonly string[],
  now: Date,
): Promise<MediumAudience[]> {
  const params = [pid, epis, topic.name, expiresBefore(topic, now), topic.listHolders];
  return db.query<MediumAudience>(RECIPIENTS, params);
}
