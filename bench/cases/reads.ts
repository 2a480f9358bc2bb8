// Reads of a shopper's lists over REST and GraphQL, beside the same reads written by hand.
import type { Bench, Case, Row } from '../bench.ts';
import { SHOPPERS, compare, contest } from '../contest.ts';
import type { Contender, Score } from '../contest.ts';
import { shoppersOf } from '../data.ts';
import type { BenchShopper } from '../data.ts';
import { graphqlCall, shopperCall } from '../load.ts';
import type { Call } from '../load.ts';
import type { ContenderName } from '../servers.ts';

const UNIT = 'requests/s';

/** The shoppers of every load. */
export const loadShoppers = ({ data }: Bench): BenchShopper[] => [...shoppersOf(data.size, SHOPPERS)];

/** A contender by its server and what it is sent. */
export async function entrant(
  { servers }: Bench,
  name: string,
  server: ContenderName,
  calls: Contender['calls'],
): Promise<Contender> {
  return { name, server: await servers.start(server), calls };
}

/** Scores as rows, with what is asked of some of them. */
export const rowsOf = (scores: readonly Score[], goals: Record<string, Row['goal']> = {}): Row[] =>
  scores.map(({ perSecond, ...score }) => ({ ...score, value: perSecond, goal: goals[score.name] }));

const FIRST = 'wishgate, first read';
const UNCHANGED = 'wishgate, nothing changed since';

const goalsOf = (first: number, unchanged: number): Record<string, Row['goal']> => ({
  [FIRST]: { atLeast: first },
  [UNCHANGED]: { atLeast: unchanged },
});

const listsCall = (shopper: BenchShopper): Call => shopperCall('/api/v3/lists/fetch-lists', shopper);

/** REST fetch-lists. */
export const lists: Case = {
  name: 'lists',
  title: 'REST fetch-lists: one list of 10 items, full records',
  async run(bench) {
    const calls = loadShoppers(bench).map(listsCall);
    const contenders = [
      await entrant(bench, 'Fastify + pg, rows mapped in code', 'fastify', calls),
      await entrant(bench, 'Fastify + pg, JSON made by PostgreSQL', 'fastify-json', calls),
      await entrant(bench, FIRST, 'wishgate-first', calls),
      await entrant(bench, UNCHANGED, 'wishgate', calls),
    ];
    await compare(contenders);
    return { unit: UNIT, rows: rowsOf(await contest(bench, 'lists', contenders), goalsOf(1.4, 3)) };
  },
};

/** REST fetch-list-with-contents; 1.00 is the read of fetch-lists, whose answer is a third as long. */
export const contents: Case = {
  name: 'contents',
  title: 'REST fetch-list-with-contents, compared with fetch-lists of Fastify',
  async run(bench) {
    const shoppers = loadShoppers(bench);
    const calls = shoppers.map((shopper) =>
      shopperCall('/api/v3/lists/fetch-list-with-contents', shopper, { lid: shopper.lid }),
    );
    const same = [
      await entrant(bench, 'Fastify + pg, fetch-list-with-contents', 'fastify', calls),
      await entrant(bench, FIRST, 'wishgate-first', calls),
      await entrant(bench, UNCHANGED, 'wishgate', calls),
    ];
    await compare(same);
    const base = await entrant(bench, 'Fastify + pg, fetch-lists', 'fastify', shoppers.map(listsCall));
    const scores = await contest(bench, 'contents', [base, ...same]);
    return { unit: UNIT, rows: rowsOf(scores, goalsOf(1, 2.5)) };
  },
};

const QUERY = '{ allLists { lid lname lty cnt uts listcontents { epi empi du qty note dt pr iu } } }';

/** GraphQL allLists. */
export const graphql: Case = {
  name: 'graphql',
  title: 'GraphQL allLists: one list of 10 items, 8 fields of each',
  async run(bench) {
    const calls = loadShoppers(bench).map((shopper) => graphqlCall(QUERY, shopper));
    const contenders = [
      await entrant(bench, 'Mercurius + jit + loaders + pg', 'mercurius', calls),
      await entrant(bench, 'Yoga + jit + pg', 'yoga', calls),
      await entrant(bench, 'Apollo as it comes + Prisma include', 'apollo', calls),
      await entrant(bench, FIRST, 'wishgate-first', calls),
      await entrant(bench, UNCHANGED, 'wishgate', calls),
    ];
    await compare(contenders);
    return { unit: UNIT, rows: rowsOf(await contest(bench, 'graphql', contenders), goalsOf(1.4, 3)) };
  },
};
