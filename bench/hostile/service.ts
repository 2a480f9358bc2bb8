// A service with a few stores, and callers of it that have addresses of their own.
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A store with its key. */
export type Store = { pid: string; apiKey: string };
/** A guest of a store. */
export type Shopper = { pid: string; regid: string; sessionid: string };
/** What came back. */
export type Reply = { status: number; text: string; ms: number };
/** What an attack knows of the service. */
export type Target = { port: number; attacker: Store; victim: Store; guests: Shopper[]; list: string };

type Call = { path: string; method?: string; body?: string | Buffer; headers?: Record<string, string> };

/** Sends requests from one address of this machine over connections that stay open. */
export function createCaller(port: number, address: string, maxSockets = Infinity) {
  const agent = new Agent({ keepAlive: true, maxSockets, localAddress: address });
  const send = async ({ path, method = 'POST', body = '', headers = {} }: Call): Promise<Reply> => {
    const start = performance.now();
    const sent = request({ host: '127.0.0.1', port, path, method, agent, headers });
    sent.end(body);
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const part of response.setEncoding('utf8')) text += part;
    return { status: response.statusCode, text, ms: performance.now() - start };
  };
  return {
    send,
    form: (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      send({
        path,
        body: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      }),
    graphql: (query: string, variables: object, headers: Record<string, string> = {}) =>
      send({
        path: '/graphql',
        body: JSON.stringify({ query, variables }),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    close: () => agent.destroy(),
  };
}

/** Sends requests from one address. */
export type Caller = ReturnType<typeof createCaller>;

/** The headers of a store's key. */
export const asStore = ({ pid, apiKey }: Store) => ({
  authorization: `Basic ${Buffer.from(`${pid}:${apiKey}`).toString('base64')}`,
});
/** The headers of a shopper. */
export const asShopper = ({ pid, regid, sessionid }: Shopper) => ({
  'x-pid': pid,
  'x-regid': regid,
  'x-sessionid': sessionid,
});

/** A new guest of a store. */
export async function makeGuest(caller: Caller, store: Store): Promise<Shopper> {
  const fields = { uuid: randomUUID(), useragenttype: 'bench' };
  const { text } = await caller.form('/storeadmin/v3/user/generate-regid', fields, asStore(store));
  return { pid: store.pid, ...(JSON.parse(text) as Omit<Shopper, 'pid'>) };
}

/** A new list of a shopper with this many items. */
export async function makeList(caller: Caller, shopper: Shopper, items: number): Promise<string> {
  const { text } = await caller.form(`/api/v3/lists/create?pid=${encodeURIComponent(shopper.pid)}`, {
    ...shopper,
    lname: `List ${randomUUID().slice(0, 8)}`,
  });
  const { lid } = JSON.parse(text) as { lid: string };
  for (let n = 0; n < items; n += 500) {
    const a = Array.from({ length: Math.min(500, items - n) }, (_, i) => ({ epi: n + i, empi: 1, du: '/p' }));
    await caller.form(`/api/v3/lists/update-ctx?pid=${encodeURIComponent(shopper.pid)}`, {
      ...shopper,
      lid,
      a: JSON.stringify(a),
    });
  }
  return lid;
}

/** Starts the service as an operator would, with name servers that never answer. */
export async function startTarget(port: number, variables: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'wishgate-hostile-'));
  const nameServer = createSocket('udp4');
  nameServer.bind(0, '127.0.0.1');
  await once(nameServer, 'listening');
  const preload = `import{setServers}from'node:dns';setServers(['127.0.0.1:${nameServer.address().port}'])`;
  const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port), DEMO: '0', LOG_LEVEL: 'fatal' };
  const server = spawn(process.execPath, [`--import=data:text/javascript,${preload}`, 'dist/main.js'], {
    env: { ...env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  server.stdout.once('data', () => server.stdout.resume());
  await Promise.race([once(server.stdout, 'data'), once(server, 'exit').then(() => process.exit(1))]);
  const createStore = async (name: string): Promise<Store> => {
    const args = ['dist/cli/store.js', 'create', '--name', name, '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return JSON.parse(stdout) as Store;
  };
  return {
    createStore,
    async rssMb(): Promise<number> {
      const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1_000);
    },
    async stop(): Promise<void> {
      server.kill('SIGTERM');
      await once(server, 'exit');
      nameServer.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
