import { graphqlCalls, restCalls } from './calls.ts';
import type { Call, Guess, RestCall } from './calls.ts';
import { ask, leaksIn, withoutSent } from './world.ts';
import type { Stranger } from './world.ts';

/** What came of a call that was made twice: for the store's ids, and for ids of nobody. */
export type Outcome = { name: string; failures: string[] };

/** Somebody who looks for what is not theirs. */
export type Search = {
  stranger: Stranger;
  guesses: Guess[];
  isShown: RegExp;
  leaks: string[];
  knows: string;
};

/** Most of a document that the service takes, with room to spare: fields at its top, and words. */
const MOST = { calls: 18, words: 900 };

const wordsOf = ({ text, variables }: Call): number => text.split(/\s+/).length + 4 * variables.length;

/** Parts calls into documents that the service takes. */
function documentsOf(calls: readonly Call[]): [start: number, end: number][] {
  const parts: [number, number][] = [];
  let words = Infinity;
  for (const [index, call] of calls.entries()) {
    const part = parts.at(-1);
    words += wordsOf(call);
    if (part && words <= MOST.words && index - part[0] < MOST.calls) part[1] = index + 1;
    else {
      parts.push([index, index + 1]);
      words = wordsOf(call);
    }
  }
  return parts;
}

type Failure = { message: string; path?: string[]; extensions: { type?: string } };

/** Runs calls in one document; answers the failure of each. */
async function askGroup(
  { stranger, isShown, leaks, knows }: Search,
  group: Call[],
  guess: Guess,
): Promise<string[]> {
  const names = group.map(({ name }) => name).join(', ');
  const declared = group.flatMap(({ variables }) => variables);
  const head =
    declared.length === 0 ? '' : `(${declared.map(({ name, type }) => `$${name}: ${type}`).join(', ')})`;
  const query = `${group[0]!.root} ${head} { ${group.map(({ text }, index) => `c${index}: ${text}`).join(' ')} }`;
  const variables = Object.fromEntries(declared.map(({ name, value }) => [name, value]));
  const headers = { ...stranger.headers, 'content-type': 'application/json' };
  const answer = await ask('/graphql', headers, JSON.stringify({ query, variables }));
  const { data, errors = [] } = JSON.parse(answer.text) as { data?: object; errors?: Failure[] };
  if (!data) throw new Error(`${names} did not run: ${answer.text}`);
  leaks.push(...leaksIn(answer, stranger, isShown, knows).map((leak) => `${names} tells ${leak}`));
  return group.map((_call, index) => {
    const own = errors.filter(({ path }) => path?.[0] === `c${index}`);
    const told = own.map(({ message, path, extensions: { type } }) => [message, path?.slice(1), type]);
    return withoutSent(JSON.stringify(told), guess);
  });
}

/** Calls every field at the top, a few in a document, with each of the guesses. */
export async function walkGraphql(
  search: Search,
  root: 'query' | 'mutation',
  mayCall: RegExp,
): Promise<Outcome[]> {
  const [calls, ghosts] = search.guesses.map((guess) =>
    graphqlCalls(root, guess).filter(({ name }) => !mayCall.test(name)),
  );
  const outcomes: Outcome[] = [];
  for (const part of documentsOf(calls!)) {
    const group = calls!.slice(...part);
    const real = await askGroup(search, group, search.guesses[0]!);
    const ghost = await askGroup(search, ghosts!.slice(...part), search.guesses[1]!);
    outcomes.push(...group.map(({ name }, index) => ({ name, failures: [real[index]!, ghost[index]!] })));
  }
  return outcomes;
}

async function askRow(
  { stranger, isShown, leaks, knows }: Search,
  row: RestCall,
  guess: Guess,
): Promise<string> {
  const { pid, regid, sessionid } = stranger;
  const { method, path, caller, form } = row;
  const fields = new URLSearchParams(caller === 'shopper' ? { ...form, regid, sessionid } : form).toString();
  const query = `?pid=${encodeURIComponent(pid)}${method === 'GET' ? `&${fields}` : ''}`;
  const headers = { ...stranger.headers, 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await ask(path + query, headers, method === 'GET' ? undefined : fields);
  leaks.push(...leaksIn(answer, stranger, isShown, knows).map((leak) => `${method} ${path} tells ${leak}`));
  return answer.status < 400 ? '' : withoutSent(`${answer.status} ${answer.text}`, guess);
}

/** Calls every row of the REST table with each of the guesses. */
export async function walkRest(search: Search): Promise<Outcome[]> {
  const [rows, ghosts] = search.guesses.map((guess) => restCalls(guess));
  const outcomes: Outcome[] = [];
  for (const [index, row] of rows!.entries()) {
    const real = await askRow(search, row, search.guesses[0]!);
    const ghost = await askRow(search, ghosts![index]!, search.guesses[1]!);
    outcomes.push({ name: `${row.method} ${row.path}`, failures: [real, ghost] });
  }
  return outcomes;
}

/** Calls whose answers differ though nobody may learn whether the id exists. */
export const differences = (outcomes: Outcome[]): string[] =>
  outcomes.flatMap(({ name, failures: [real, ghost] }) =>
    real === ghost ? [] : [`${name}: ${real} is told apart from ${ghost}`],
  );
