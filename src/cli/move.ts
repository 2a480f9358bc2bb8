import { setTimeout as delay } from 'node:timers/promises';
import { checkMove, takeMove } from '../platform/database/move/checks.ts';
import * as replication from '../platform/database/move/replication.ts';
import * as rows from '../platform/database/move/rows.ts';
import { connectTo } from '../platform/database/move/server.ts';
import type { Move, Server } from '../platform/database/move/server.ts';
import { describeFailure } from '../platform/errors.ts';
import { MINUTE_MS } from '../platform/time.ts';
import { drawBar } from './progress.ts';

type Job = Move & {
  /** How long a dispatcher may hold a message (DISPATCH_LEASE_MS). */
  leaseMs: number;
  /** Prints a line that stays, or shows progress. */
  say: (line: string) => void;
  show: (text: string) => void;
  /** Aborted by Ctrl-C; looked at where stopping leaves the store open. */
  signal: AbortSignal;
  /** Sends the store's calls to the target. */
  route: () => Promise<void>;
};

/** The target has this long to get the last changes while the store is closed. */
const LAST_MS = 3_500;
const SETTLE_MS = 5 * MINUTE_MS;
const POLL_MS = 100;
/** The store is closed when less than this is on its way. */
const NEAR_BYTES = 1_000_000;
/** Larger tables are compared after the move only: counting them would keep the store closed. */
const COUNTED_ROWS = 20_000;
const MAX_PROBLEMS = 3;

const BACK = 'undo the move with --back';
const GONE = `The replication slot on the source is gone (is another server the primary now?): ${BACK} and begin again`;
const STUCK = `The target cannot apply the store's rows: its PostgreSQL log says why; ${BACK}`;
const ELSEWHERE = `The store is on its way to another server: run the command with that --to, or ${BACK}`;

const sumOf = (counts: rows.Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Removes what lies of the store on the target, and lets its rows come. */
async function prepare(move: Job, links: replication.Links): Promise<void> {
  if (links.hasSlot && links.comment !== links.target) throw new Error(ELSEWHERE);
  move.say('Preparing both servers');
  await replication.clear(move.target, move.pid, move.show);
  await replication.unsubscribe(move);
  await replication.announce(move);
  await replication.fence(move.source, move.pid, true);
  await replication.publish(move, links.target).catch((error: unknown) => {
    const hint = "name the source with --from as the target's PostgreSQL reaches it";
    throw new Error(`The target cannot follow the source: ${describeFailure(error)}; ${hint}`, {
      cause: error,
    });
  });
}

async function copy(move: Job, counts: rows.Counts): Promise<void> {
  const total = sumOf(counts);
  move.say(`Copying ${total.toLocaleString('en')} rows while the store works`);
  for (; ; await delay(POLL_MS)) {
    move.signal.throwIfAborted();
    const { done, isReady, problems } = await replication.readCopy(move, counts);
    const lag = await replication.readLag(move);
    if (lag === null || problems > MAX_PROBLEMS) throw new Error(lag === null ? GONE : STUCK);
    if (isReady && lag < NEAR_BYTES) return;
    const share = Math.min(1, done / Math.max(total, 1));
    move.show(
      `${drawBar(share, process.stderr)} ${Math.round(done).toLocaleString('en')} rows, ${Math.ceil(lag / 1e6)} MB behind`,
    );
  }
}

/** Lets no dispatcher take another message of the store, and waits for the outcomes of those that are being sent. */
async function settle(move: Job): Promise<void> {
  move.say('Waiting for messages that are being sent');
  await replication.setStep(move, 'paused');
  const sent = await replication.listBeingSent(move, move.leaseMs);
  for (const end = Date.now() + SETTLE_MS; ; await delay(POLL_MS)) {
    move.signal.throwIfAborted();
    const left = await replication.countUnsettled(move, sent);
    if (left === 0) return;
    if (Date.now() > end)
      throw new Error(`${left} messages are still being sent; run the command again later`);
    move.show(`waiting for ${left} messages that are being sent`);
  }
}

async function waitForLastChange(move: Move): Promise<void> {
  const { at } = await move.source.row<{ at: string }>('SELECT pg_current_wal_lsn() AS at');
  for (const end = Date.now() + LAST_MS; ; await delay(10)) {
    const lag = await replication.readLag(move, at);
    if (lag === 0) return;
    if (lag === null) throw new Error(GONE);
    if (Date.now() > end)
      throw new Error('The last changes did not reach the target in time; run the command again');
  }
}

async function compareCounts({ source, target, pid }: Move, counts: rows.Counts): Promise<void> {
  const small = Object.keys(counts).filter((name) => counts[name]! <= COUNTED_ROWS);
  const [here, there] = await Promise.all(
    [source, target].map((server) => rows.countRows(server, small, pid)),
  );
  const wrong = small.filter((name) => here![name] !== there![name]);
  if (wrong.length > 0) throw new Error(`The numbers of rows differ in ${wrong.join(', ')}; ${BACK}`);
}

/** Closes the store, waits for its last change and makes the target its server. `snapshot` shows the target's rows of that moment. */
async function handOver(move: Job, snapshot: Server, counts: rows.Counts, since: Date | null) {
  move.say('Closing the store');
  const closedAt = performance.now();
  await replication.setStep(move, 'closed');
  try {
    await waitForLastChange(move);
    await rows.raiseSequences(move);
    await rows.mergeOptOuts(move, since);
    await compareCounts(move, counts);
    await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SELECT');
  } catch (error) {
    await replication.setStep(move, null);
    throw error;
  }
  // If this fails, nobody knows whether it was done: the store stays closed until the command is run again.
  if (!(await replication.handOver(move))) throw new Error('The move was undone meanwhile');
  await move.route();
  const closedMs = Math.round(performance.now() - closedAt);
  move.say(`The store is open on the target; it was closed for ${(closedMs / 1_000).toFixed(2)} s`);
  return closedMs;
}

/** What is left to do once the target serves the store; each part can be done again. */
async function tidyUp(move: Move, since: Date | null): Promise<void> {
  await replication.setStep(move, 'moved');
  await replication.unsubscribe(move);
  await rows.mergeOptOuts(move, since);
}

async function compareDigests({ source, pid, say, show }: Job, snapshot: Server) {
  say('Comparing checksums of all tables');
  const differences: string[] = [];
  for (const table of await rows.listTables(source)) {
    show(`comparing ${table.name}`);
    const [here, there] = await Promise.all(
      [source, snapshot].map((one) => rows.digestRows(one, table, pid)),
    );
    if (here !== there) differences.push(`${table.name}: source ${here}; target ${there}`);
  }
  return differences;
}

/** Moves a store, or continues where an earlier run ended. */
export async function moveStore(move: Job) {
  const { source, target, pid } = move;
  await takeMove(move);
  const links = await replication.findLinks(move);
  await checkMove(move, links.hasSubscription);
  if (await replication.isServing(move)) {
    await move.route();
    await tidyUp(move, null);
    return { closedMs: null, rows: null, differences: null };
  }
  const isClosed = (await replication.readStep(source, pid)) === 'closed';
  if (isClosed && !links.hasSubscription) throw new Error(`The store is closed and not followed: ${BACK}`);
  // Replies of a closed store's time were not merged by the run that was killed.
  const since = isClosed ? null : new Date(Date.now() - 5 * MINUTE_MS);
  const snapshot = await connectTo(target.url, 'target');
  try {
    if (!links.hasSubscription) await prepare(move, links);
    const tables = (await rows.listTables(source)).map(({ name }) => name);
    const counts = await rows.countRows(source, tables, pid);
    if (!isClosed) {
      try {
        await copy(move, counts);
        await rows.mergeOptOuts(move, null);
        await settle(move);
        await copy(move, counts);
      } catch (error) {
        await replication.setStep(move, null);
        throw error;
      }
    }
    const closedMs = await handOver(move, snapshot, counts, since);
    await tidyUp(move, since);
    return { closedMs, rows: sumOf(counts), differences: await compareDigests(move, snapshot) };
  } finally {
    await snapshot.end();
  }
}

/** Undoes a move before its hand-over: the source serves the store as if nothing had happened. */
export async function undoMove(move: Move, show: Job['show']): Promise<void> {
  await takeMove(move);
  const { comment, target } = await replication.findLinks(move);
  const here = await replication.readStep(move.source, move.pid);
  if (comment !== null && comment !== target) throw new Error(ELSEWHERE);
  if (await replication.isServing(move))
    throw new Error('The target serves the store: the way back is a second move, from there to here');
  if (here !== null && here !== 'paused' && comment === null)
    throw new Error('No move of this store is under way here');
  await replication.setStep(move, null);
  await replication.unsubscribe(move);
  await replication.fence(move.source, move.pid, false);
  // Older rows that a move away from there has left stay.
  if ((await replication.readStep(move.target, move.pid)) === 'arriving')
    await replication.clear(move.target, move.pid, show);
}

/** Removes the rows that a moved store has left here. */
export async function finishMove(source: Server, pid: string, show: Job['show']): Promise<number> {
  if (!(await source.lockMove(pid))) throw new Error('Another move of this store is under way');
  const step = await replication.readStep(source, pid);
  if (step !== 'moved')
    throw new Error(step === undefined ? 'No store has this pid' : 'The store has not moved away from here');
  return replication.clear(source, pid, show);
}
