import { channelOf } from '../../alerts/send/channels.ts';
import type { AnswerRequest } from '../../alerts/send/channel.ts';
import type { Services } from '../../context.ts';
import type { Db } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import type { Medium } from './contact.rules.ts';
import { withdrawConsent } from './mailing-list.service.ts';
import * as stops from './sms-opt-out.repo.ts';
import { DAY_MS } from '../../platform/time.ts';

/** What becomes of a message to a contact that answered STOP. */
export const STOPPED = { kind: 'withheld', reason: 'the contact answered STOP' } as const;

/** Those of some contacts that want nothing more by this medium; none where nobody can answer. */
export async function findStopped(db: Db, medium: Medium, values: readonly string[]): Promise<Set<string>> {
  return new Set(channelOf(medium).answers ? await stops.findStopped(db, medium, values) : []);
}

/**
 * Takes what somebody answered to a message, believed by the provider's signature or login. STOP holds for all stores, because they send from one number: nothing leaves to
 * the contact any more, and it leaves their mailing lists. START lets messages leave again, for the subscriptions that are left; nobody is put back on a list.
 */
export async function receiveAnswer(
  { db, config, now }: Pick<Services, 'db' | 'config' | 'now'>,
  medium: Medium,
  request: AnswerRequest,
): Promise<void> {
  const { answers, contact } = channelOf(medium);
  if (!answers?.isGenuine(config.channels[medium] ?? null, request))
    fail('unauthorised', 'The signature is wrong');
  const { from, says, id } = answers.read(request.fields);
  const value = contact.read(from, null);
  if (value === null || says === null) return;
  const time = now();
  await db.transaction(async (tx) => {
    if (says === 'start') return stops.saveStart(tx, { medium, value }, id, time);
    await stops.saveStop(tx, { medium, value }, id, time);
    if (!(await stops.findStopped(tx, medium, [value])).includes(value)) return;
    for (const pid of await stops.findAccepting(tx, { medium, value }))
      await withdrawConsent(tx, pid, { medium, value }, 'stop', time);
  });
}

/** How long it is known that a contact takes messages again: repeats of its STOP change nothing meanwhile. */
const KEEP_MS = 30 * DAY_MS;

/** Forgets a portion of the contacts that let messages come again long ago; answers how many. */
export function forgetStarted({ db }: Pick<Services, 'db'>, now: Date): Promise<number> {
  return stops.removeStarted(db, new Date(now.getTime() - KEEP_MS));
}
