import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../until.ts';
import type { Caller, Operation } from './caller.ts';

const identify = (field: 'uuid' | 'useremail'): Operation => [
  '/storeadmin/v3/user/generate-regid',
  `mutation ($${field}: String!, $useragenttype: String!) { r: generateRegid(${field}: $${field}, useragenttype: $useragenttype) { regid sessionid } }`,
];

const PAUSE_MS = 20;

/** Tries until there is an answer for a new guest. */
export async function makeGuest({ settle }: Caller, pid: string) {
  const answer = await settle(identify('uuid'), { uuid: randomUUID(), useragenttype: 'chaos' });
  const { regid, sessionid } = answer!.body as { regid: string; sessionid: string };
  return { pid, regid, sessionid };
}

/** Shows by small writes, one after the other, whether a service does its work. */
export type Pulse = {
  /** Accounts that were acknowledged. */
  regids: Set<string>;
  /** Waits for a write that began after now, and tells how long it took to come. */
  beat(): Promise<number>;
  /** Resolves when the last call has ended; the run must be over. */
  ended: Promise<void>;
};

/** Starts it; REST and GraphQL in turn. */
export function startPulse({ call }: Caller, isOver: () => boolean): Pulse {
  const regids = new Set<string>();
  let lastBegin = 0;
  const ended = (async () => {
    for (let n = 0; !isOver(); n += 1) {
      const begin = performance.now();
      const values = { useremail: `${randomUUID()}@example.com`, useragenttype: 'chaos' };
      const answer = await call(identify('useremail'), values, { isGraphql: n % 2 === 0 });
      if (answer?.status !== 200) {
        await delay(PAUSE_MS);
        continue;
      }
      regids.add(String(answer.body['regid']));
      lastBegin = begin;
    }
  })();
  return {
    regids,
    ended,
    async beat() {
      const start = performance.now();
      await until(() => lastBegin >= start);
      return performance.now() - start;
    },
  };
}
