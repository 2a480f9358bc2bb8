// Requests as bytes, and the process that sends them.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchShopper } from './data.ts';
import type { Job, Outcome } from './loader.ts';

/** A process that puts load on servers. */
export type Loader = { load(job: Job): Promise<Outcome>; close(): void };

/** Starts it; it serves one load after the other. */
export function startLoader(): Loader {
  const script = fileURLToPath(new URL('./loader.ts', import.meta.url));
  const child = fork(script, { serialization: 'advanced' });
  let settle: (message: { outcome?: Outcome; error?: string }) => void = () => undefined;
  child.on('message', (message: object) => settle(message));
  child.once('exit', () => settle({ error: 'The process that makes the load has ended' }));
  return {
    load: (job) =>
      new Promise((resolve, reject) => {
        settle = ({ outcome, error }) => {
          if (outcome === undefined) reject(new Error(error));
          else if (outcome.failure !== null)
            reject(new Error(`Not every answer was 200:\n${outcome.failure}`));
          else resolve(outcome);
        };
        child.send(job);
      }),
    close: () => child.disconnect(),
  };
}

/** A request before it is bytes. */
export type Call = { method?: string; path: string; headers?: Record<string, string>; body?: string };

/** The bytes of a request. */
export function rawRequest({ method = 'POST', path, headers = {}, body = '' }: Call): string {
  const all = {
    host: 'bench',
    ...headers,
    ...(body ? { 'content-length': String(Buffer.byteLength(body)) } : {}),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A shopper's call of a REST route, with what it sends beside its credentials. */
export function shopperCall(path: string, shopper: BenchShopper, fields: Record<string, string> = {}): Call {
  const { store, regid, sessionid } = shopper;
  return {
    path: `${path}?pid=${encodeURIComponent(store.pid)}`,
    headers: FORM,
    body: new URLSearchParams({ regid, sessionid, ...fields }).toString(),
  };
}

/** A store's own call of a REST route. */
export function storeCall(
  path: string,
  { pid, apiKey }: { pid: string; apiKey: string },
  fields: Record<string, string>,
): Call {
  return {
    path,
    headers: { ...FORM, authorization: `Basic ${btoa(`${pid}:${apiKey}`)}` },
    body: new URLSearchParams(fields).toString(),
  };
}

/** A shopper's GraphQL call. */
export function graphqlCall(query: string, { store, regid, sessionid }: BenchShopper): Call {
  return {
    path: '/graphql',
    headers: {
      'content-type': 'application/json',
      'x-pid': store.pid,
      'x-regid': regid,
      'x-sessionid': sessionid,
    },
    body: JSON.stringify({ query }),
  };
}

/** Sends one call and reads its answer, for comparing and for setting things up. */
export async function ask(port: number, { method = 'POST', path, headers, body }: Call): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}
