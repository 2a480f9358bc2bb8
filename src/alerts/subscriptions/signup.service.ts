import { isStoreAlone, requireShopper, requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import type { SubscribeInput } from '../../generated/resolvers.ts';
import { createBatch, oncePerDatabase } from '../../platform/batch.ts';
import type { Tx } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { deleteSuppressions, useOptIn } from '../../shoppers/contacts/consent.repo.ts';
import { isAccountContact } from '../../shoppers/contacts/contact.rules.ts';
import { recordConsent } from '../../shoppers/contacts/mailing-list.service.ts';
import { announceCreated } from '../../shoppers/contacts/subscription-events.service.ts';
import type { ShopperRow } from '../../shoppers/shopper.repo.ts';
import { enterAll } from '../../shoppers/shopper.service.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { consumeAll } from '../../stores/usage-window.repo.ts';
import { USAGE_LIMITS, failTooMany, usageKey } from '../../stores/usage-window.rules.ts';
import { catchUp } from '../events/event.service.ts';
import { sendConfirmation } from './confirm-message.service.ts';
import type { Requester } from './confirm-message.service.ts';
import { saveRequests, withdrawPendingConsent } from './request.repo.ts';
import { saveSubscriptions } from './subscription.repo.ts';
import type { NewSubscription, SignUpWrite, StoredSubscription } from './subscription.repo.ts';
import { checkSignUp, keyOf } from './subscription.rules.ts';
import type { CheckedSignUp } from './subscription.rules.ts';

type WantedSignUp = { ctx: Context; store: StoreRow; checked: CheckedSignUp; now: Date };

/** `isApart`: not linked to a subscription, because a stranger could otherwise see when others subscribe and unsubscribe. */
type Open = WantedSignUp & {
  signUp: SignUpWrite;
  requester: Requester;
  mustConfirm: boolean;
  isApart: boolean;
};

/** `asked` counts the requests that are new for the requester; `created` are the subscriptions that are new for everyone. */
type Saved = Open & { rows: StoredSubscription[]; asked: number; created: StoredSubscription[] };

/** Any shopper except the account with that address may be a stranger to the contact. */
function requesterOf({ checked: { contact } }: WantedSignUp, shopper: ShopperRow | null): Requester {
  if (shopper === null) return { regid: '', isStranger: false };
  const isOwn = !shopper.isGuest && isAccountContact(contact) && contact.value === shopper.em;
  return { regid: shopper.regid, isStranger: !isOwn };
}

/** One confirmation is enough for the store and the account of that address; a stranger needs one of its own requests. */
async function open(tx: Tx, given: WantedSignUp, shopper: ShopperRow | null): Promise<Open> {
  const { ctx, store, checked, now } = given;
  const requester = requesterOf(given, shopper);
  // A store without double opt-in vouches for the contacts it names; a stranger in a browser always has to confirm.
  const mustConfirm = store.doubleOptIn || (requester.isStranger && ctx.viewer.keyId === null);
  const prover = requester.isStranger ? requester.regid : null;
  const isConfirmed = !mustConfirm || (await useOptIn(tx, store.pid, checked.contact, prover, now));
  const confirmedAt = isConfirmed ? now : null;
  // An account's own alerts follow the account's language; another requester's language is all that is known of the contact.
  const language = checked.language ?? (requester.isStranger ? shopper!.language : null);
  const wanted: NewSubscription[] = checked.products.flatMap((product) =>
    checked.topics.map((topic) => ({ ...product, topic, extras: checked.extras, language, id: newId() })),
  );
  const { regid } = requester;
  const signUp = { pid: store.pid, ...checked.contact, regid, confirmedAt, wanted, now };
  const isApart = requester.isStranger && confirmedAt === null;
  return { ...given, signUp, requester, mustConfirm, isApart };
}

const contactOf = ({ pid, medium, value }: Pick<StoredSubscription, 'pid' | 'medium' | 'value'>): string =>
  JSON.stringify([pid, medium, value]);

async function save(tx: Tx, all: readonly Open[]): Promise<Saved[]> {
  const rowsByContact = new Map<string, StoredSubscription[]>(
    all.map(({ signUp }) => [contactOf(signUp), []]),
  );
  const signUps = all.map(({ signUp }) => signUp);
  for (const row of await saveSubscriptions(tx, signUps)) rowsByContact.get(contactOf(row))!.push(row);
  const stored = all.map((one) => ({ ...one, rows: rowsByContact.get(contactOf(one.signUp))! }));
  const requests = stored.map(({ signUp, checked: { mailinglist }, isApart, rows }) => {
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

/** A subscription that was pending until now may have missed an alert event. */
async function catchUpLate(tx: Tx, { signUp, rows, created }: Saved): Promise<void> {
  const { pid, confirmedAt, now } = signUp;
  if (confirmedAt === null) return;
  const late = rows.filter((row) => !created.includes(row) && row.confirmedAt!.getTime() === now.getTime());
  await catchUp(tx, pid, late, now);
}

async function storeConsent(tx: Tx, { store, checked, signUp, requester, now }: Saved): Promise<void> {
  const { contact, mailinglist } = checked;
  if (mailinglist !== null && signUp.confirmedAt !== null)
    await recordConsent(tx, store, contact, { accepts: mailinglist, regid: requester.regid }, now);
  if (mailinglist === false && signUp.confirmedAt === null) await withdrawPendingConsent(tx, signUp);
}

/** A stranger's pending requests count per shopper and contact, because the response must not reveal others' requests. */
async function count(tx: Tx, all: readonly Saved[]): Promise<void> {
  const consume = async (
    kind: 'signup contact' | 'signup address',
    some: readonly Saved[],
    subjectOf: (one: Saved) => string,
  ): Promise<void> => {
    const uses = some.map((one) => {
      const { pid, secret } = one.store;
      return { pid, key: usageKey(secret, kind, subjectOf(one)), now: one.now, amount: one.asked };
    });
    const untils = await consumeAll(tx, USAGE_LIMITS[kind], uses);
    untils.forEach((until, index) => {
      if (until !== null) failTooMany(kind, until, some[index]!.now);
    });
  };
  const contactIn = ({ signUp: { medium, value, regid }, isApart }: Saved): string =>
    `${medium} ${value}${isApart ? ` ${regid}` : ''}`;
  const asking = all.filter(({ asked }) => asked > 0);
  const ownCalls = asking.filter(({ ctx }) => ctx.viewer.keyId === null);
  await consume('signup contact', asking, contactIn);
  await consume('signup address', ownCalls, ({ ctx }) => ctx.address);
}

async function storeWishes(tx: Tx, wanted: readonly WantedSignUp[]): Promise<boolean[]> {
  // A guest's first sign-up makes its row, and the address of an account stays until the sign-up is stored.
  const callers = wanted.flatMap(({ ctx }) =>
    ctx.viewer.shopper ? [{ ctx, shopper: ctx.viewer.shopper }] : [],
  );
  const entered = await enterAll(tx, callers);
  const opened: Open[] = [];
  for (const one of wanted)
    opened.push(await open(tx, one, entered.get(one.ctx.viewer.shopper?.regid ?? '') ?? null));
  const saved = await save(tx, opened);
  for (const one of saved) await catchUpLate(tx, one);
  await announceCreated(tx, saved);
  const confirmed = saved.filter(({ asked, signUp }) => asked > 0 && signUp.confirmedAt !== null);
  const contacts = confirmed.map(({ signUp }) => signUp);
  await deleteSuppressions(tx, contacts);
  for (const one of saved) await storeConsent(tx, one);
  // Late, because sign-ups of one contact are serialized from here to the commit.
  await count(tx, saved);
  const pending: boolean[] = [];
  for (const { ctx, store, checked, requester, now, mustConfirm } of saved)
    pending.push(mustConfirm && (await sendConfirmation(tx, ctx, store, checked.contact, requester, now)));
  return pending;
}

const MAX_SHARED = 20;

/** A shopper's own call shares no transaction, because it counts against an IP address that many may share. */
function isPlain({ ctx: { viewer }, store, checked }: WantedSignUp): boolean {
  const isSmall = checked.products.length * checked.topics.length <= MAX_SHARED;
  return isSmall && viewer.keyId !== null && !store.doubleOptIn && checked.mailinglist === null;
}

const storeAll = (db: Services['db'], wanted: readonly WantedSignUp[]): Promise<boolean[]> =>
  db.transaction((tx) => storeWishes(tx, wanted));

const shareSignUp = oncePerDatabase(({ db }: Pick<Services, 'db'>) =>
  createBatch<WantedSignUp, boolean>({
    kind: 'write',
    maxInFlight: 2,
    maxBatch: 50,
    together: async (all) => (await storeAll(db, all)).map((result) => ({ result })),
    subjectOf: ({ store: { pid }, checked: { contact } }) => contactOf({ pid, ...contact }),
  }),
);

export type SignUp = Awaited<ReturnType<typeof subscribe>>;

/** Subscribes a contact to topics of products, immediately or after double opt-in. Existing subscriptions are renewed. */
export async function subscribe(ctx: Context, input: SubscribeInput) {
  const store = isStoreAlone(ctx) ? requireStore(ctx) : requireShopper(ctx).store;
  if (!store.inventoryManaged)
    fail(
      'inventory-not-managed',
      "Alerts are not available, because the store's platform does not manage its inventory",
    );
  const checked = checkSignUp(store, input);
  const wanted = { ctx, store, checked, now: ctx.now() };
  const isPending = isPlain(wanted) ? await shareSignUp(ctx)(wanted) : (await storeAll(ctx.db, [wanted]))[0]!;
  return {
    message: isPending
      ? 'Please confirm: the contact receives a message with a link, and alerts start after the link is opened'
      : 'Subscribed to alerts',
    confirmed: !isPending,
    products: checked.products.map((product) => ({ pid: store.pid, ...product })),
    topics: checked.topics,
  };
}
