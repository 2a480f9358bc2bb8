import { channelOf } from '../send/channels.ts';
import type { Medium } from '../send/channels.ts';
import type { Services } from '../../context.ts';
import type { ClaimedMessage } from '../queue/outbox.repo.ts';
import * as pacing from '../queue/frequency.repo.ts';
import type { PacedRow, Packing, Wait } from '../queue/frequency.repo.ts';
import type { Pacing } from '../../stores/frequency.rules.ts';
import { planContact } from './frequency.plan.rules.ts';
import type { ContactPlan } from './frequency.plan.rules.ts';
import { DAY_MS } from '../../platform/time.ts';

/** An alert that may be sent as far as its own reasons go. */
type Candidate = { message: ClaimedMessage; letter: { store: { pacing: Pacing } } };

/** Alerts that leave in one message: those that were claimed, and those that were taken for it and are still to be judged. */
export type Group = { parcelId: string; own: ClaimedMessage[]; taken: ClaimedMessage[] };

const REASONS = {
  digest: 'waits for other alerts of this contact',
  quiet: 'waits for the end of the quiet hours',
  cap: 'waits, because the contact got as much as a day allows',
} as const;

/** The alerts of one contact. */
type Contact = { pid: string; recipient: string; pacing: Pacing; own: ClaimedMessage[] };

function groupByContact(candidates: readonly Candidate[]): Contact[] {
  const contacts = new Map<string, Contact>();
  for (const { message, letter } of candidates) {
    const { pid, recipient } = message;
    const key = JSON.stringify([pid, recipient]);
    const contact = contacts.get(key) ?? { pid, recipient, pacing: letter.store.pacing, own: [] };
    contact.own.push(message);
    contacts.set(key, contact);
  }
  return [...contacts.values()];
}

/**
 * Decides which of some claimed alerts leave now, and with which others; lets the rest wait. All dispatchers decide about a contact one after the other, and what
 * is decided is written before anything is sent: a message that is tried again has the same alerts and the same id, and one that is under way counts.
 */
export async function paceAlerts(
  { db, config, now }: Services,
  medium: Medium,
  candidates: readonly Candidate[],
): Promise<Group[]> {
  if (candidates.length === 0) return [];
  const contacts = groupByContact(candidates);
  const messages = candidates.map(({ message }) => message);
  const most = channelOf(medium).together;
  const groups = await db.transaction(async (tx) => {
    const time = now();
    await pacing.lockContacts(tx, medium, contacts);
    const ours = await pacing.lockClaimed(tx, messages);
    const rows = await pacing.findPaced(tx, medium, contacts, new Date(time.getTime() - DAY_MS));
    const plans = contacts.map((contact) => {
      const own = contact.own.filter(({ id }) => ours.has(id));
      const known = rows.filter(
        ({ pid, recipient }) => pid === contact.pid && recipient === contact.recipient,
      );
      return planContact(contact.pacing, own, known, most, time);
    });
    await pacing.hold(tx, plans.flatMap(waitsOf), time);
    const parcels = plans.flatMap((plan) => plan.parcels);
    const packings = parcels.flatMap(({ id, own }) => own.map(packInto<ClaimedMessage>(id)));
    await pacing.pack(tx, packings, time);
    const leaseEnd = new Date(time.getTime() + config.dispatchLeaseMs);
    const extras = parcels.flatMap(({ id, others }) => others.map(packInto<PacedRow>(id)));
    const taken = await pacing.take(tx, extras, leaseEnd);
    return parcels.map(({ id, own }) => ({
      parcelId: id,
      own: [...own],
      taken: taken.filter(({ parcelId }) => parcelId === id),
    }));
  });
  return groups;
}

const packInto =
  <Message>(parcelId: string) =>
  (message: Message): Packing<Message> => ({ message, parcelId });

function waitsOf({ waits }: ContactPlan<ClaimedMessage, PacedRow>): Wait[] {
  return waits.map(({ message, until, waitsFor }) => ({
    message,
    until,
    reason: REASONS[waitsFor],
    isPlaceFree: waitsFor === 'cap',
  }));
}
