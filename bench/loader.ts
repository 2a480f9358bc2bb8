// The load, in a process of its own: requests as bytes over keep-alive sockets, as little work for each as can be, so that what is
// measured is the server. Told what to send over IPC; bench/load.ts is the other side.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** What to send, to where and for how long. Connection n sends requests n, n + connections, … in turn, so no two share a shopper; fewer requests go to all. */
export type Job = {
  port: number;
  requests: string[];
  connections: number;
  ms: number;
  /** Whether a server that is given too much may say so. */
  mayRefuse?: true;
};

/** What came of it. `failure` is the head of the first answer that was not 200. */
export type Outcome = {
  answers: number;
  /** Answers of 503, where the job expects them; they are neither counted nor timed with the others. */
  refused: number;
  seconds: number;
  bytes: number;
  failure: string | null;
  p50Ms: number;
  p99Ms: number;
};

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKS_END = Buffer.from('\r\n0\r\n\r\n');
const NO_BYTES = Buffer.alloc(0);

/** The length of the first whole answer in the bytes, 0 while it is not whole. */
function answerLength(bytes: Buffer): number {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return 0;
  const head = bytes.toString('latin1', 0, headEnd);
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (length === undefined) {
    const end = bytes.indexOf(CHUNKS_END, headEnd);
    return end < 0 ? 0 : end + CHUNKS_END.length;
  }
  const whole = headEnd + HEAD_END.length + Number(length);
  return bytes.length >= whole ? whole : 0;
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

/** One connection: the next request leaves when the answer is whole. */
function drive(
  socket: Socket,
  job: Job,
  first: number,
  times: number[],
  outcome: Outcome,
  endAt: number,
): Promise<void> {
  const isEnough = job.requests.length >= job.connections;
  const own = job.requests
    .filter((_, n) => !isEnough || n % job.connections === first)
    .map((text) => Buffer.from(text));
  return new Promise((resolve, reject) => {
    let [sent, startedAt, rest] = [0, 0, NO_BYTES];
    const send = (): void => {
      startedAt = performance.now();
      if (startedAt >= endAt) {
        socket.destroy();
        return resolve();
      }
      socket.write(own[sent++ % own.length]!);
    };
    // A server that is given too much may also let callers wait.
    if (job.mayRefuse)
      setTimeout(() => {
        resolve();
        socket.destroy();
      }, endAt - performance.now());
    socket.on('error', reject).on('data', (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const length = answerLength(rest);
      if (length === 0) return;
      const status = rest.toString('latin1', 9, 12);
      const isRefused = job.mayRefuse === true && status === '503';
      if (outcome.failure === null && status !== '200' && !isRefused)
        outcome.failure = rest.toString('utf8', 0, 1_000);
      if (isRefused) outcome.refused += 1;
      else times.push(performance.now() - startedAt);
      outcome.bytes += length;
      rest = NO_BYTES;
      send();
    });
    socket.on('close', () => reject(new Error('The server closed a connection')));
    send();
  });
}

async function run(job: Job): Promise<Outcome> {
  const outcome: Outcome = {
    answers: 0,
    refused: 0,
    seconds: 0,
    bytes: 0,
    failure: null,
    p50Ms: 0,
    p99Ms: 0,
  };
  const times: number[] = [];
  const sockets = await Promise.all(Array.from({ length: job.connections }, () => open(job.port)));
  const start = performance.now();
  const drives = sockets.map((socket, first) => drive(socket, job, first, times, outcome, start + job.ms));
  await Promise.all(drives);
  const sorted = Float64Array.from(times).sort();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return {
    ...outcome,
    answers: sorted.length,
    seconds: (performance.now() - start) / 1_000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

process.on('message', (job: Job) => {
  run(job).then(
    (outcome) => process.send!({ outcome }),
    (error: unknown) => process.send!({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
