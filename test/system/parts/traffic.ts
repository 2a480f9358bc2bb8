import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestShopper } from '../../harness.ts';
import { isLong } from '../../tier.ts';

/** An answer, or why there was none. */
type Answer = { status: number; body: string; failure?: string };

/** Between two turns of a shopper in a short run, whose cores others need, too. */
const PAUSE_MS = 20;

/** What shoppers did, and what came of it. */
export type Traffic = {
  /** Answers so far. */
  count: () => number;
  /** Lists and items of which a write was answered with success, by the shopper. */
  written: Map<TestShopper, { names: string[]; epis: number[] }>;
  /** Everything that was not answered with 2xx, in words. */
  failures: string[];
  /** Ends it after the requests under way. */
  stop(): Promise<void>;
};

type Request = { path: string; body: string; headers: Record<string, string> };

const form = (
  path: string,
  { pid, regid, sessionid }: TestShopper,
  fields: Record<string, string>,
): Request => ({
  path: `/api/v3/lists/${path}?pid=${encodeURIComponent(pid)}`,
  body: new URLSearchParams({ regid, sessionid, ...fields }).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

const graphql = ({ pid, regid, sessionid }: TestShopper, query: string, variables = {}): Request => ({
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
  headers: { 'content-type': 'application/json', 'x-pid': pid, 'x-regid': regid, 'x-sessionid': sessionid },
});

const ADD = 'mutation ($lid: ID!, $a: [ItemInput!]) { updateListContents(lid: $lid, a: $a) { cnt } }';
const LISTS = '{ lists(first: 1) { totalCount } }';

/** One request that is never repeated: what fails, fails here. */
function send(url: string, { path, body, headers }: Request, agent: Agent | false): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: Error): void => resolve({ status: 0, body: '', failure: String(error) });
    const req = request(`${url}${path}`, { method: 'POST', agent, headers }, (res: IncomingMessage) => {
      text(res).then((read) => resolve({ status: res.statusCode!, body: read }), fail);
    });
    req.on('error', fail).end(body);
  });
}

/**
 * Every shopper writes and reads over REST and GraphQL in turn; each second one keeps its connection, the others open a new one for each request.
 */
export function startTraffic(url: string, shoppers: readonly TestShopper[]): Traffic {
  const failures: string[] = [];
  const written: Traffic['written'] = new Map();
  let isOver = false;
  let answers = 0;

  const shop = async (shopper: TestShopper, index: number): Promise<void> => {
    const agent = index % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : false;
    const own = { names: [] as string[], epis: [] as number[] };
    written.set(shopper, own);
    const ask = async (what: Request): Promise<Answer | null> => {
      const answer = await send(url, what, agent);
      answers += 1;
      const isFine = answer.status >= 200 && answer.status < 300 && !answer.body.includes('"errors"');
      if (!isFine) failures.push(`${what.path}: ${answer.status} ${answer.failure ?? answer.body}`);
      return isFine ? answer : null;
    };
    /** A read that follows a write sees it, whichever gateway answers which. */
    const see = async (what: Request, sign: string): Promise<void> => {
      const { body } = (await ask(what)) ?? {};
      if (body?.includes(sign) === false) failures.push(`${what.path} misses ${sign}: ${body}`);
    };
    let lid = '';
    for (let turn = 1; !isOver; turn += 1) {
      const lname = `list ${turn}`;
      const made = await ask(form('create', shopper, { lname }));
      if (made) own.names.push(lname);
      lid ||= (JSON.parse(made?.body ?? '{}') as { lid?: string }).lid ?? '';
      await see(graphql(shopper, LISTS), `"totalCount":${own.names.length}}`);
      const a = [{ epi: String(turn), empi: '1', du: 'https://shop.example/1' }];
      const isOdd = turn % 2 === 1;
      const add = isOdd
        ? graphql(shopper, ADD, { lid, a })
        : form('update-ctx', shopper, { lid, a: JSON.stringify(a) });
      if (await ask(add)) own.epis.push(turn);
      if (!isLong) await delay(PAUSE_MS);
      await see(form('fetch-list-with-contents', shopper, { lid }), `"cnt":${own.epis.length},`);
    }
    if (agent) agent.destroy();
  };

  const over = Promise.all(shoppers.map(shop));
  return {
    count: () => answers,
    written,
    failures,
    async stop() {
      isOver = true;
      await over;
    },
  };
}
