import { randomUUID } from 'node:crypto';
import type { Tx } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { newAccount, newGuest } from '../../shoppers/new-shopper.rules.ts';
import { findStore } from '../../stores/store.service.ts';
import { insertHistory } from './history.repo.ts';
import { DEMO_PRODUCTS } from './products.ts';
import { seedDemoCatalog } from './seed.ts';

/** A reserved domain, so that nobody has these addresses. */
export const HISTORY_DOMAIN = '@post.example';

/** With the current day, which is left to visitors, the 90 days that the dashboard offers. */
const DAYS = 89;

/** In the order in which they come; every third one is a guest. */
const PEOPLE = `
Anna Berger, Jonas Keller, Clara Novak, Felix Hartmann, Lena Vogt, Marco Rossi, Sofia Lindgren, Paul Becker, Emma Laurent, Noah Visser,
Ida Sorensen, Luca Moretti, Hannah Weiss, Oscar Nilsson, Julia Kowalska, Tom Fischer, Nina Brandt, Elias Maier, Alice Dubois, Ben Schuster,
Marta Silva, David Lang, Eva Horvath, Leo Janssen, Mia Wagner, Simon Roth, Laura Petit, Henry Walsh, Greta Olsen, Adam Clarke`;
const LISTS = ['Wishlist', 'Living room', 'Birthday', 'Kitchen', 'New flat'];

/** Topic, variant, and how many people got the alert how many days ago; those of day 0 are still waiting. */
const ALERTS = [
  'backinstock | HL-KETTLE | 74=5, 43=6, 17=8, 0=4',
  'backinstock | HL-LAMP | 66=4, 38=6, 9=9, 0=3',
  'backinstock | HL-APRON-SAGE | 57=4, 24=6, 0=2',
  'backinstock | HL-SOCKS-M | 50=5, 12=7, 0=3',
  'backinstock | HL-CUSHION-SAND | 35=4, 5=6, 0=1',
  'backinstock | HL-POT-4-LITRES | 28=5, 0=4',
  'backinstock | HL-THROW | 46=5, 3=7',
  'pricedrop | HL-VASE | 61=5, 14=8, 0=2',
  'pricedrop | HL-BOARD | 33=6, 6=7, 0=1',
];

/** Writes what people did until yesterday: figures grow, and weekends are busy. Every new store gets the same. */
export async function writeHistory(tx: Tx, pid: string, now: Date): Promise<void> {
  let seed = 1;
  const roll = (sides: number): number => (seed = (seed * 48_271) % 2_147_483_647) % sides;
  const pick = <One>(some: readonly One[]): One => some[roll(some.length)]!;
  const repeat = <One>(length: number, make: (index: number) => One): One[] =>
    Array.from({ length }, (_, index) => make(index));
  const at = (ago: number, hour = 8 + roll(840) / 60): Date =>
    new Date((Math.floor(now.getTime() / DAY_MS) - ago) * DAY_MS + hour * HOUR_MS);

  await seedDemoCatalog(tx, pid, at(DAYS, 0));
  const store = (await findStore(tx, pid))!;
  const people = PEOPLE.split(',').map((name, index) => {
    const [fname, lname] = name.trim().split(' ') as [string, string];
    const value = `${fname}.${lname}${HISTORY_DOMAIN}`.toLowerCase();
    const account = { ...newAccount(store, { email: value, externalId: null }), fname, lname };
    const shopper = index % 3 === 2 ? newGuest(store, randomUUID()) : account;
    const since = Math.min(DAYS, Math.round(108 - 3.6 * index));
    const times = { since, cts: at(since, 7 + roll(60) / 60), seen: at(1 + roll(since)) };
    return { ...shopper, ...times, value, lid: newId(), title: pick(LISTS) };
  });
  const peopleAt = (ago: number) => people.filter(({ since }) => since >= ago);
  const signUps = ALERTS.flatMap((line) => {
    const [topic, sku, batches] = line.split(' | ') as [string, string, string];
    const { epi } = DEMO_PRODUCTS.find((product) => product.sku === sku)!;
    return batches.split(', ').flatMap((batch) => {
      const [ago, size] = batch.split('=').map(Number) as [number, number];
      const [event, first, some, sentAt] = [newId(), roll(30), peopleAt(ago + 4), at(ago)];
      return repeat(size, (place) => {
        const { regid, value } = some[(first + place) % some.length]!;
        const sent = { sentAt, source: 'alert', isClicked: ago > 0 && roll(9) < 4 };
        return { topic, epi, event, regid, value, ago, at: at(ago + 1 + roll(4)), ...sent };
      });
    });
  });
  const bought = signUps.filter(({ isClicked }) => isClicked && roll(2) === 0);
  const visits = repeat(DAYS, (day) => DAYS - day).flatMap((ago) => {
    const pace = (2 - (1.5 * ago) / DAYS) * (at(ago).getUTCDay() % 6 === 0 ? 2.4 : 1.5);
    return repeat(Math.round(pace) + roll(2), () => {
      const { epi } = DEMO_PRODUCTS[Math.min(roll(20), roll(20))]!;
      return { lid: pick(peopleAt(ago)).lid, epi, at: at(ago), source: roll(5) === 0 ? 'list' : null };
    });
  });
  // Everybody saves something at least once, so that no list is empty.
  const own = people.map(({ lid, since }) => ({ ...pick(visits), lid, at: at(1 + roll(since)) }));
  const sales = [
    ...visits.map((visit) => (visit.source ? visit : { ...visit, epi: pick(DEMO_PRODUCTS).epi })),
    ...bought.map(({ topic, epi, source, sentAt }) => ({ topic, epi, source, at: sentAt })),
  ];
  await insertHistory(tx, pid, { people, visits: [...visits, ...own], signUps, sales });
}
