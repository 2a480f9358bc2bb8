import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Receipts } from '../fault/dispatch-crash.ts';
import { until } from '../../until.ts';
import type { Caller, Operation } from './caller.ts';

/** What a contact must have heard in the end: one alert, nothing, or (never answered) either. */
type Due = 'one' | 'none' | 'unsure';

type Variant = { epi: number; stk: number; isOpen: boolean; underWay: number; waiting: string[] };

/** What the receiver of all messages says. `twice` counts contacts with alerts of different ids; a copy has the id of an alert that came before. */
export type AlertVerdict = {
  due: number;
  told: number;
  untold: string[];
  twice: string[];
  intruded: string[];
  copies: number;
  /** Contacts with a copy that no kill explains. */
  unexplained: string[];
};

/** A merchant with its feed, and shoppers who wait for what is sold out. */
export type Shop = {
  /** One minute of the feed: some variants sell out, others come back. */
  feed(): Promise<void>;
  /** One shopper subscribes, and perhaps leaves again; nobody does while nothing is sold out. */
  visit(): Promise<void>;
  /** Everything comes back. */
  restockAll(): Promise<void>;
  /** How many are to be told. */
  due: () => number;
  /** `isExplained` says of a time whether a message that arrived then may come again. */
  judge(receipts: ReadonlyMap<string, Receipts>, isExplained: (time: number) => boolean): AlertVerdict;
};

const OPERATIONS = {
  upsert: [
    '/storeadmin/v3/products/upsert',
    'mutation ($products: [ProductInput!]!) { r: upsertProducts(products: $products) { epi } }',
  ],
  subscribe: [
    '/storeadmin/bispa/subscriptions/create',
    `mutation ($medium: Medium!, $mediumvalue: String!, $products: [SubscribeProductInput!]!, $topics: [TopicName!]!) {
       r: subscribe(input: { medium: $medium, mediumvalue: $mediumvalue, products: $products, topics: $topics }) { confirmed } }`,
  ],
  leave: [
    '/storeadmin/bispa/subscriptions/remove',
    `mutation ($medium: Medium!, $mediumvalue: String!, $epi: VariantId!) {
       r: unsubscribe(medium: $medium, mediumvalue: $mediumvalue, epi: $epi) { removed } }`,
  ],
} as const satisfies Record<string, Operation>;

const FIRST_EPI = 500_001;
const DU = 'https://shop.example/p/1';
const PAUSE_MS = 20;

/** Opens it with so many variants; a variant comes back once `crowd` people wait. One in ten leaves. */
export function openShop({ settle }: Caller, { variants, crowd }: { variants: number; crowd: number }): Shop {
  const shelf = Array.from({ length: variants }, (_, n): Variant => ({
    epi: FIRST_EPI + n,
    stk: 0,
    isOpen: false,
    underWay: 0,
    waiting: [],
  }));
  const contacts = new Map<string, Due>();
  let isStocked = false;
  let visits = 0;
  let waiters = 0;
  const way = () => ({ isGraphql: randomInt(2) === 0 });

  const tell = (changed: readonly Variant[]) =>
    settle(
      OPERATIONS.upsert,
      {
        products: changed.map(({ epi, stk }) => ({ epi, empi: epi, du: DU, dt: `Thing ${epi}`, stk })),
      },
      way(),
    );

  /** Whoever is at the shelf finishes first, so that everybody knows who waits. */
  const restock = async (back: readonly Variant[]): Promise<void> => {
    for (const variant of back) variant.isOpen = false;
    await until(() => back.every(({ underWay }) => underWay === 0));
    for (const variant of back) Object.assign(variant, { stk: 5, waiting: [] });
    await tell(back);
  };

  return {
    async feed() {
      if (!isStocked) await tell(shelf);
      isStocked = true;
      const gone = shelf.filter(({ stk, isOpen }) => stk > 0 && !isOpen && randomInt(2) === 0).slice(0, 5);
      const fresh = shelf.filter(({ stk, isOpen }) => stk === 0 && !isOpen);
      for (const variant of gone) variant.stk = 0;
      const others = shelf.filter(() => randomInt(variants) < 5);
      await tell(gone.length + others.length > 0 ? [...new Set([...gone, ...others])] : shelf.slice(0, 1));
      for (const variant of [...gone, ...fresh]) variant.isOpen = true;
      const back = shelf.filter(({ isOpen, waiting }) => isOpen && waiting.length >= crowd);
      if (back.length > 0) await restock(back);
    },
    async visit() {
      const open = shelf.filter(({ isOpen }) => isOpen);
      // The run may be over before anything opens again.
      if (open.length === 0) return delay(PAUSE_MS);
      const variant = open[randomInt(open.length)]!;
      variant.underWay += 1;
      const { epi } = variant;
      const mediumvalue = `w${(visits += 1)}@example.com`;
      const products = [{ epi, empi: epi, du: DU }];
      const who = { medium: 'email', mediumvalue };
      const answer = await settle(OPERATIONS.subscribe, { ...who, products, topics: ['backinstock'] }, way());
      contacts.set(mediumvalue, answer ? 'one' : 'unsure');
      const isLeaving = answer !== null && randomInt(10) === 0;
      if (answer && !isLeaving) waiters += 1;
      if (isLeaving) {
        const left = await settle(OPERATIONS.leave, { ...who, epi }, way());
        contacts.set(mediumvalue, left ? 'none' : 'unsure');
      }
      variant.waiting.push(mediumvalue);
      variant.underWay -= 1;
    },
    restockAll: () => restock(shelf.filter(({ stk }) => stk === 0)),
    due: () => waiters,
    judge(receipts, isExplained) {
      const of = (due: Due): string[] => [...contacts].filter(([, each]) => each === due).map(([to]) => to);
      const all = [...receipts.values()];
      return {
        due: of('one').length,
        told: receipts.size,
        untold: of('one').filter((to) => !receipts.has(to)),
        twice: [...receipts].filter(([, { ids }]) => ids.size > 1).map(([to]) => to),
        intruded: of('none').filter((to) => receipts.has(to)),
        unexplained: [...receipts]
          .filter(([, { times }]) => !times.slice(0, -1).every(isExplained))
          .map(([to]) => to),
        copies: all.reduce((sum, { ids, times }) => sum + times.length - ids.size, 0),
      };
    },
  };
}
