import type { Context, Services } from '../../context.ts';
import type { Tx } from '../../database/database.ts';
import { isOneKeysFault } from '../../shared/batch.ts';
import { AppError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { createWriteBatch } from '../../shared/write-batch.ts';
import { liftSuppressions } from '../contact/consent.repo.ts';
import { isAccountContact } from '../contact/contact.rules.ts';
import { recordConsent } from '../contact/mailing-list.service.ts';
import { useProof } from '../contact/proof.repo.ts';
import { consumeAll } from '../pace/pace.repo.ts';
import { reopenRestocks } from '../restock/restock.repo.ts';
import type { StoreRow } from '../store/store.repo.ts';
import { sendConfirmation } from './confirm-message.service.ts';
import type { Asker } from './confirm-message.service.ts';
import { saveRequests, withdrawPendingConsent } from './request.repo.ts';
import { SIGNUP_LIMITS, failTooMany, signupKey } from './signup.rules.ts';
import { announceCreated } from './subscription-events.service.ts';
import { saveSubscriptions } from './subscription.repo.ts';
import type { NewSubscription, SignUpWrite, StoredSubscription } from './subscription.repo.ts';
import { keyOf } from './subscription.rules.ts';
import type { Wish } from './subscription.rules.ts';

/** A checked wish, and who asks for it of which store. */
export type WantedSignUp = { ctx: Context; store: StoreRow; wish: Wish; now: Date };

/** Stores a wish together or not at all; it lives as long as the process. */
export type SignUps = (wanted: WantedSignUp) => Promise<void>;

/** A wish as it is stored. `isApart`: what a guest has not confirmed shares nobody's fate, or it could see when others come and go. */
type Open = WantedSignUp & { signUp: SignUpWrite; asker: Asker; isApart: boolean };

/** What came of it: how much the asker had not asked for yet, and what is new at all. */
type Saved = Open & { rows: StoredSubscription[]; asked: number; created: StoredSubscription[] };

/**
 * Whether the contact need not confirm. Once it has, it need not again: for the store and for the account with that address. Of
 * anybody else it is known only whether it confirmed what the very same shopper had asked for.
 */
async function isConfirmed(tx: Tx, { ctx, store, wish: { contact }, now }: WantedSignUp): Promise<boolean> {
  if (!store.doubleOptIn) return true;
  const { shopper } = ctx.viewer;
  const isOwn = shopper === null || (isAccountContact(contact) && contact.value === shopper.em);
  return useProof(tx, store.pid, contact, isOwn ? null : shopper.regid, now);
}

async function open(tx: Tx, wanted: WantedSignUp): Promise<Open> {
  const { ctx, store, wish, now } = wanted;
  const { regid = '', isGuest = false } = ctx.viewer.shopper ?? {};
  const confirmedAt = (await isConfirmed(tx, wanted)) ? now : null;
  const rows: NewSubscription[] = wish.products.flatMap((product) =>
    wish.topics.map((topic) => ({ ...product, topic, extras: wish.extras, id: newId() })),
  );
  const signUp = { pid: store.pid, ...wish.contact, regid, confirmedAt, wanted: rows, now };
  return { ...wanted, signUp, asker: { regid, isGuest }, isApart: isGuest && confirmedAt === null };
}

const contactOf = ({ pid, medium, value }: Pick<StoredSubscription, 'pid' | 'medium' | 'value'>): string =>
  JSON.stringify([pid, medium, value]);

/** Stores the subscriptions and who asked for them. */
async function save(tx: Tx, all: readonly Open[]): Promise<Saved[]> {
  const rowsByContact = new Map<string, StoredSubscription[]>(
    all.map(({ signUp }) => [contactOf(signUp), []]),
  );
  const signUps = all.map(({ signUp }) => signUp);
  for (const row of await saveSubscriptions(tx, signUps)) rowsByContact.get(contactOf(row))!.push(row);
  const stored = all.map((one) => ({ ...one, rows: rowsByContact.get(contactOf(one.signUp))! }));
  const requests = stored.map(({ signUp, wish: { mailinglist }, isApart, rows }) => {
    const idByKey = new Map(rows.map((row) => [keyOf(row), row.id]));
    const idFor = (one: NewSubscription): string | null => (isApart ? null : idByKey.get(keyOf(one))!);
    const wanted = signUp.wanted.map((one) => ({ ...one, mailinglist, subscriptionId: idFor(one) }));
    return { ...signUp, wanted };
  });
  const unasked = await saveRequests(tx, requests);
  return stored.map((one) => {
    const ids = new Set(one.signUp.wanted.map(({ id }) => id));
    const asked = [...ids].filter((id) => unasked.has(id)).length;
    return { ...one, asked, created: one.rows.filter(({ id }) => ids.has(id)) };
  });
}

/** One that waited until now may have missed an occasion. */
async function catchUp(tx: Tx, { signUp: { pid, confirmedAt, now }, rows, created }: Saved): Promise<void> {
  if (confirmedAt === null) return;
  const late = rows.filter((row) => !created.includes(row) && row.confirmedAt!.getTime() === now.getTime());
  await reopenRestocks(tx, pid, late, now);
}

/** Records the answer to whether the contact wants the mailing list. */
async function answerMailingList(tx: Tx, { store, wish, signUp, asker, now }: Saved): Promise<void> {
  const { contact, mailinglist } = wish;
  if (mailinglist !== null && signUp.confirmedAt !== null)
    await recordConsent(tx, store, contact, { accepts: mailinglist, regid: asker.regid }, now);
  if (mailinglist === false && signUp.confirmedAt === null) await withdrawPendingConsent(tx, signUp);
}

/**
 * Counts what was not asked for yet. What a guest's contact has still to confirm counts for that guest and contact: how much others
 * asked for must not show. A store calls for all its shoppers from one address, so only a shopper's own call counts against it.
 */
async function count(tx: Tx, all: readonly Saved[]): Promise<void> {
  const consume = async (
    kind: 'contact' | 'address',
    some: readonly Saved[],
    subjectOf: (one: Saved) => string,
  ): Promise<void> => {
    const uses = some.map((one) => {
      const { pid, secret } = one.store;
      return { pid, key: signupKey(secret, kind, subjectOf(one)), now: one.now, amount: one.asked };
    });
    const untils = await consumeAll(tx, SIGNUP_LIMITS[kind], uses);
    untils.forEach((until, index) => {
      if (until !== null) failTooMany(kind, until, some[index]!.now);
    });
  };
  const contactIn = ({ signUp: { medium, value, regid }, isApart }: Saved): string =>
    `${medium} ${value}${isApart ? ` ${regid}` : ''}`;
  const asking = all.filter(({ asked }) => asked > 0);
  const ownCalls = asking.filter(({ ctx }) => ctx.viewer.keyId === null);
  await consume('contact', asking, contactIn);
  await consume('address', ownCalls, ({ ctx }) => ctx.address);
}

async function storeWishes(tx: Tx, wanted: readonly WantedSignUp[]): Promise<void> {
  const opened: Open[] = [];
  for (const one of wanted) opened.push(await open(tx, one));
  const saved = await save(tx, opened);
  for (const one of saved) await catchUp(tx, one);
  await announceCreated(
    tx,
    saved.map(({ store: { pid }, created, now }) => ({ pid, created, now })),
  );
  await liftSuppressions(
    tx,
    saved.filter(({ asked, signUp }) => asked > 0 && signUp.confirmedAt !== null).map(({ signUp }) => signUp),
  );
  for (const one of saved) await answerMailingList(tx, one);
  // Late, because sign-ups of one contact wait for each other from here to the commit.
  await count(tx, saved);
  for (const { ctx, store, wish, asker, now } of saved)
    if (store.doubleOptIn) await sendConfirmation(tx, ctx, store, wish.contact, asker, now);
}

const MAX_SHARED = 20;

/** Whether a wish is stored by the few statements that serve many; a shopper's own call also counts against its address, which many may share. */
function isPlain({ ctx: { viewer }, store, wish }: WantedSignUp): boolean {
  const isSmall = wish.products.length * wish.topics.length <= MAX_SHARED;
  return isSmall && viewer.keyId !== null && !store.doubleOptIn && wish.mailinglist === null;
}

/** Opens the sign-ups of a process: plain ones of one moment share a transaction. */
export function createSignUps({ db }: Pick<Services, 'db'>): SignUps {
  const storeAll = (wanted: readonly WantedSignUp[]): Promise<void> =>
    db.transaction((tx) => storeWishes(tx, wanted));
  const alone = (wanted: WantedSignUp): Promise<void> => storeAll([wanted]);
  const share = createWriteBatch<WantedSignUp, void>({
    async together(all) {
      try {
        await storeAll(all);
        return all.map(() => ({ result: undefined }));
      } catch (error) {
        if (!(error instanceof AppError) && !isOneKeysFault(error)) throw error;
        return all.map(() => (all.length === 1 ? { error } : 'alone'));
      }
    },
    alone,
    subjectOf: ({ store: { pid }, wish: { contact } }) => contactOf({ pid, ...contact }),
  });
  return (wanted) => (isPlain(wanted) ? share(wanted) : alone(wanted));
}
