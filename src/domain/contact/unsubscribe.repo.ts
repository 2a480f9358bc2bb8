import type { Tx } from '../../database/database.ts';
import type { UnsubscribeClaim } from './unsubscribe.rules.ts';

/** A subscription that was just ended. */
export type RemovedSubscription = {
  id: string;
  medium: string;
  value: string;
  topic: string;
  epi: string;
  empi: string;
  du: string;
  confirmed: boolean;
  cts: Date;
};

const WHERE = { product: 'AND epi = $4', topic: 'AND topic = $4', all: '' } as const;

/** Ends a contact's subscriptions in the claim's scope. */
export function removeSubscriptions(
  tx: Tx,
  pid: string,
  { scope, medium, value, topic, epi }: UnsubscribeClaim,
): Promise<RemovedSubscription[]> {
  const only = scope === 'all' ? [] : [scope === 'product' ? epi : topic];
  return tx.query<RemovedSubscription>(
    `DELETE FROM subscription WHERE pid = $1 AND medium = $2 AND value = $3 ${WHERE[scope]}
     RETURNING id, medium, value, topic, epi, empi, du, confirmed_at IS NOT NULL AS confirmed, cts`,
    [pid, medium, value, ...only],
  );
}

/** Records that a contact wants nothing more that it did not just ask for: shared lists, mailing list. New alerts are to be confirmed again. */
export async function suppress(
  tx: Tx,
  pid: string,
  { medium, value }: UnsubscribeClaim,
  now: Date,
): Promise<void> {
  await tx.query(
    'INSERT INTO suppression (pid, medium, value, cts) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [pid, medium, value, now],
  );
  await tx.query('DELETE FROM contact_proof WHERE pid = $1 AND medium = $2 AND value = $3', [
    pid,
    medium,
    value,
  ]);
  if (medium !== 'email') return;
  const answer = { signuptime: now.getTime(), acceptmarketing: false, acceptsource: 'unsubscribe' };
  await tx.query(
    `UPDATE shopper SET acc_mkt = false, uts = $4,
       prefs = jsonb_set(prefs, '{Mediums}', CASE jsonb_typeof(prefs -> 'Mediums') WHEN 'object' THEN prefs -> 'Mediums' ELSE '{}' END || $3::jsonb)
     WHERE pid = $1 AND em = $2`,
    [pid, value, JSON.stringify({ email: answer }), now],
  );
}
