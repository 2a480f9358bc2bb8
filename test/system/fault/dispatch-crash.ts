import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { TestService } from '../../harness.ts';
import { until } from '../../until.ts';
import { seedSubscribers, setStock } from '../../alerts/kit.ts';
import { besideService, startMain } from './fixtures/main-process.ts';
import type { MainProcess } from './fixtures/main-process.ts';

/** How hard the dispatchers are tried. */
export type CrashPlan = {
  subscribers: number;
  dispatchers: number;
  kills: number;
  /** How they are ended: killed, unless told otherwise. */
  signal?: NodeJS.Signals;
  failureRate: number;
  leaseMs: number;
};

/** What a mail server saw of one recipient. */
export type Receipts = { ids: Set<string>; times: number[] };

/** What came of it. */
export type CrashReport = {
  /** Recipients that got at least one mail. */
  reached: number;
  /** Recipients that got more than one. */
  repeated: number;
  /** Recipients whose repeats had another id. */
  changedIds: number;
  /** Repeats whose first copy did not arrive shortly before a kill. */
  unexplained: number;
  /** Alerts by state in the end. */
  states: Record<string, number>;
  subscriptionsLeft: number;
  refused: number;
  killed: number;
  seconds: number;
};

/**
 * A mail server that keeps who got what when, and refuses some calls, half of them only after it has read the whole mail. It takes no more while
 * as many were reached as `most` says.
 */
export async function startUnreliableSmtp(failureRate: number, most: () => number = () => Infinity) {
  const receipts = new Map<string, Receipts>();
  const counts = { refused: 0 };
  let isClosed = false;
  const maybeRefuse = (): Error | null => {
    if (Math.random() >= failureRate / 2) return null;
    counts.refused += 1;
    return Object.assign(new Error('Try again later'), { responseCode: 451 });
  };
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo: (_address, _session, callback) => callback(maybeRefuse()),
    onData(stream, session, callback) {
      let raw = '';
      stream.on('data', (chunk: Buffer) => (raw += chunk.toString('latin1')));
      stream.on('end', async () => {
        const refusal = maybeRefuse();
        if (refusal) return callback(refusal);
        const to = session.envelope.rcptTo[0]!.address;
        const at = Date.now();
        await until(() => isClosed || receipts.has(to) || receipts.size < most());
        if (isClosed) return;
        const { ids, times } = receipts.get(to) ?? { ids: new Set<string>(), times: [] };
        receipts.set(to, {
          ids: ids.add(/^x-alert-id: (.+)$/im.exec(raw)![1]!.trim()),
          times: [...times, at],
        });
        callback();
      });
    },
  });
  // A killed dispatcher cuts its connections.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    receipts,
    counts,
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    close: () => {
      isClosed = true;
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * Restocks a variant with many subscribers while several dispatcher processes, a server among them, are ended at random and
 * replaced, and the mail server fails. Ends when nothing is queued any more.
 */
export async function runCrash(service: TestService, plan: CrashPlan): Promise<CrashReport> {
  const { db } = service.services;
  const killTimes: number[] = [];
  let kills = 0;
  // The work goes on in as many steps as there are kills, so that each one hits dispatchers that are sending.
  const step = plan.subscribers / (plan.kills + 1);
  const smtp = await startUnreliableSmtp(plan.failureRate, () => step * (kills + 1));
  const environment = {
    ...besideService(service),
    DATABASE_POOL: '6',
    SMTP_URL: smtp.url,
    MAIL_FROM: 'alerts@store.example',
    DISPATCH_LEASE_MS: String(plan.leaseMs),
    DISPATCH_RETRY_MS: '50',
  };
  const startDispatcher = (number: number): MainProcess =>
    startMain(environment, number === 0 ? 'main' : 'cli/worker');
  const dispatchers = Array.from({ length: plan.dispatchers }, (_, number) => startDispatcher(number));

  const store = await service.createStore();
  await setStock(service, store, '1', 0, { dt: 'Shirt' });
  await seedSubscribers(db, store.pid, '1', plan.subscribers);
  const start = Date.now();
  await setStock(service, store, '1', 10);

  const progress = async (): Promise<number> => {
    const [row] = await db.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM outbox WHERE pid = $1 AND state <> 'queued'`,
      [store.pid],
    );
    return row!.count;
  };
  try {
    await until(async () => {
      const done = await progress();
      if (kills < plan.kills && done > step * (kills + 0.5)) {
        const number = Math.floor(Math.random() * dispatchers.length);
        const victim = dispatchers[number]!;
        if (victim.child.exitCode !== null) throw new Error('A dispatcher ended by itself');
        kills += 1;
        await victim.end(plan.signal ?? 'SIGKILL');
        killTimes.push(Date.now());
        dispatchers[number] = startDispatcher(number);
      }
      return done >= plan.subscribers;
    });
  } finally {
    await Promise.all(dispatchers.map(({ end }) => end()));
    await smtp.close();
  }

  const all = [...smtp.receipts.values()];
  const repeats = all.filter(({ times }) => times.length > 1);
  const wasCutOff = (time: number): boolean =>
    killTimes.some((kill) => time <= kill && kill - time < plan.leaseMs);
  const states = await db.query<{ state: string; count: number }>(
    'SELECT state, count(*)::int AS count FROM outbox WHERE pid = $1 GROUP BY state',
    [store.pid],
  );
  const [left] = await db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM subscription WHERE pid = $1',
    [store.pid],
  );
  return {
    reached: all.length,
    repeated: repeats.length,
    changedIds: all.filter(({ ids }) => ids.size > 1).length,
    unexplained: repeats.filter(({ times }) => !times.slice(0, -1).every(wasCutOff)).length,
    states: Object.fromEntries(states.map(({ state, count }) => [state, count])),
    subscriptionsLeft: left!.count,
    refused: smtp.counts.refused,
    killed: killTimes.length,
    seconds: (Date.now() - start) / 1000,
  };
}
