import type { Services } from '../../context.ts';
import { DAY_MS } from '../../platform/time.ts';
import type { SendingSchedule } from '../../stores/store.rules.ts';
import type { ClaimedMessage } from '../queue/outbox.repo.ts';
import { channelOf } from '../send/channels.ts';
import type { Medium } from '../send/channels.ts';
import { planContact } from './frequency.rules.ts';
import * as frequency from './frequency.repo.ts';

type Candidate = { message: ClaimedMessage; content: { store: { pacing: SendingSchedule } } };

const REASONS = {
  digest: 'waiting for the digest window to end',
  quiet: 'waiting for the quiet hours to end',
  cap: 'waiting, because the contact has reached the daily limit',
} as const;

type ContactAlerts = { pid: string; recipient: string; schedule: SendingSchedule; own: ClaimedMessage[] };

function groupByContact(candidates: readonly Candidate[]): ContactAlerts[] {
  const contacts = new Map<string, ContactAlerts>();
  for (const { message, content } of candidates) {
    const { pid, recipient } = message;
    const key = JSON.stringify([pid, recipient]);
    const contact = contacts.get(key) ?? { pid, recipient, schedule: content.store.pacing, own: [] };
    contact.own.push(message);
    contacts.set(key, contact);
  }
  return [...contacts.values()];
}

/**
 * Returns the alerts of each message: its own, and those taken in addition, which are still to be evaluated. Writes its decision before sending,
 * so that a retry has the same alerts and id, and a message in flight counts.
 */
export async function groupAlerts(
  { db, config, now }: Services,
  medium: Medium,
  candidates: readonly Candidate[],
) {
  if (candidates.length === 0) return [];
  const contacts = groupByContact(candidates);
  const claimed = candidates.map(({ message }) => message);
  const most = channelOf(medium).together;
  return db.transaction(async (tx) => {
    const time = now();
    await frequency.lockContacts(tx, medium, contacts);
    const ours = await frequency.lockClaimed(tx, claimed);
    const recent = await frequency.findRecent(tx, medium, contacts, new Date(time.getTime() - DAY_MS));
    const plans = contacts.map(({ pid, recipient, schedule, own }) => {
      const held = own.filter(({ id }) => ours.has(id));
      const known = recent.filter((row) => row.pid === pid && row.recipient === recipient);
      return planContact(schedule, held, known, most, time);
    });
    const waits = plans.flatMap((plan) =>
      plan.waits.map(({ waitsFor, ...wait }) => ({
        ...wait,
        reason: REASONS[waitsFor],
        isPlaceFree: waitsFor === 'cap',
      })),
    );
    await frequency.hold(tx, waits, time);
    const groups = plans.flatMap((plan) => plan.groups);
    const own = groups.flatMap((group) => group.own.map((message) => ({ message, groupId: group.id })));
    await frequency.group(tx, own, time);
    const leaseEnd = new Date(time.getTime() + config.dispatchLeaseMs);
    const others = groups.flatMap((group) => group.others.map((message) => ({ message, groupId: group.id })));
    const taken = await frequency.take(tx, others, leaseEnd);
    const takenBy = (id: string) => taken.filter(({ messageId }) => messageId === id);
    return groups.map((group) => ({ messageId: group.id, own: group.own, taken: takenBy(group.id) }));
  });
}
