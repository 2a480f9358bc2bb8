// Live lists: what thousands of open streams cost a process, and how long a change takes to reach them.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, Case } from '../bench.ts';
import { shoppersOf } from '../data.ts';
import type { BenchShopper } from '../data.ts';
import { ask, graphqlCall, rawRequest, shopperCall } from '../load.ts';
import { cpuUs, memoryMb, postgresCpuUs } from '../usage.ts';

const STREAMS = 5_000;
const WRITES = 1_000;
const WRITES_A_SECOND = 100;
const IDLE_MS = 10_000;
const WATCH = 'subscription { lists { rev lids lists { lid cnt version } } }';

/** A stream and when its last message came. */
type Stream = { socket: Socket; shopper: BenchShopper; messages: number; lastAt: number };

/** Opens a stream by its bytes, so that the reader takes as little of the machine as it can. */
async function open(port: number, shopper: BenchShopper): Promise<Stream> {
  const { path: _path, headers, body } = graphqlCall(WATCH, shopper);
  const call = {
    path: '/graphql/stream',
    headers: { ...headers, accept: 'text/event-stream' },
    body,
  };
  const socket = connect(port, '127.0.0.1');
  const stream = { socket, shopper, messages: 0, lastAt: 0 };
  socket.setNoDelay(true);
  socket.write(rawRequest(call));
  const first = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.on('data', (bytes) => {
      if (!bytes.includes('event: next')) return;
      stream.messages += 1;
      stream.lastAt = performance.now();
      resolve();
    });
  });
  await once(socket, 'connect');
  await first;
  return stream;
}

/** Opens all of them, a few hundred at a time. */
async function openAll(port: number, shoppers: readonly BenchShopper[]): Promise<Stream[]> {
  const streams: Stream[] = [];
  for (let at = 0; at < shoppers.length; at += 200)
    streams.push(...(await Promise.all(shoppers.slice(at, at + 200).map((one) => open(port, one)))));
  return streams;
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

/** How long changes take from the moment they are sent until their message comes. */
async function measureDelays(port: number, streams: readonly Stream[], turn: number): Promise<number[]> {
  const delays: number[] = [];
  const start = performance.now();
  const step = Math.floor(streams.length / WRITES);
  const write = async (n: number): Promise<void> => {
    await delay(Math.max(0, start + (n * 1_000) / WRITES_A_SECOND - performance.now()));
    const stream = streams[n * step]!;
    const { messages, shopper } = stream;
    const sentAt = performance.now();
    const item = { epi: 1, empi: 1, du: '/p', qty: turn + 1 };
    await ask(
      port,
      shopperCall('/api/v3/lists/update-ctx', shopper, { lid: shopper.lid, a: JSON.stringify([item]) }),
    );
    while (stream.messages === messages) await delay(1);
    delays.push(stream.lastAt - sentAt);
  };
  await Promise.all(Array.from({ length: WRITES }, (_, n) => write(n)));
  return delays.sort((left, right) => left - right);
}

/** CPU of the process and of PostgreSQL while nothing changes, in percent of a core. */
async function measureIdle(
  pid: number,
  postmaster: number | null,
): Promise<{ own: number; postgres: number }> {
  const read = () => [cpuUs(pid) ?? 0, postmaster === null ? 0 : (postgresCpuUs(postmaster) ?? 0)] as const;
  const before = read();
  await delay(IDLE_MS);
  const after = read();
  const percent = (index: 0 | 1): number => (after[index] - before[index]) / (IDLE_MS * 10);
  return { own: percent(0), postgres: percent(1) };
}

/** Streams of as many shoppers. */
export const streams: Case = {
  name: 'streams',
  title: `Live lists: ${STREAMS.toLocaleString('en')} open streams on one process, delay from write to message`,
  async run(bench: Bench) {
    const shoppers = [...shoppersOf(bench.data.size, STREAMS)];
    const [server, beside] = [
      await bench.servers.startApart('wishgate'),
      await bench.servers.startApart('wishgate'),
    ];
    bench.progress.now(`streams: opening ${STREAMS}`);
    const before = memoryMb(server.pid);
    const openedAt = performance.now();
    const open = await openAll(server.port, shoppers);
    const openMs = performance.now() - openedAt;
    try {
      bench.progress.now('streams: idle');
      const idle = await measureIdle(server.pid, bench.postmaster);
      const after = memoryMb(server.pid);
      bench.progress.now('streams: writes in the same process');
      const same = await measureDelays(server.port, open, 1);
      bench.progress.now('streams: writes in another process');
      const other = await measureDelays(beside.port, open, 2);
      const row = (name: string, delays: number[]) => ({
        name,
        value: at(delays, 0.5),
        p50Ms: at(delays, 0.5),
        p99Ms: at(delays, 0.99),
      });
      const memory =
        before && after
          ? `Memory: ${before.now.toFixed(0)} MB before, ${after.now.toFixed(0)} MB with all streams open, ${(((after.now - before.now) * 1_000) / STREAMS).toFixed(0)} kB each.`
          : 'This system does not tell memory.';
      return {
        unit: 'ms',
        rows: [row('written in the same process', same), row('written in another process', other)],
        notes: [
          memory,
          `CPU while nothing changes: ${idle.own.toFixed(1)} % of a core for the process, ${idle.postgres.toFixed(1)} % for PostgreSQL.`,
          `Opening all of them took ${(openMs / 1_000).toFixed(1)} s; ${WRITES.toLocaleString('en')} writes at ${WRITES_A_SECOND} a second each.`,
        ],
      };
    } finally {
      for (const { socket } of open) socket.destroy();
      await Promise.all([server.stop(), beside.stop()]);
    }
  },
};
