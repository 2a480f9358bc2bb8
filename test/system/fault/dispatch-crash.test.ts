import { useService } from '../../harness.ts';
import { inFull } from '../../tier.ts';
import { runCrash } from './dispatch-crash.ts';
import { endMains } from './fixtures/main-process.ts';

// Of its own: dispatchers send what is in its database.
const service = useService({});

afterEach(endMains);

test('with dispatchers killed at random and a mail server that fails a fifth of its calls, everyone is told; a repeat has the same id and follows a kill', async () => {
  const subscribers = inFull(2_000, 300);
  const kills = inFull(5, 2);
  const report = await runCrash(service, {
    subscribers,
    dispatchers: inFull(4, 3),
    kills,
    failureRate: 0.2,
    // A third of it is the patience with the mail server; a repeat after a stall of this process would look unexplained.
    leaseMs: 20_000,
  });
  expect(report).toMatchObject({
    reached: subscribers,
    changedIds: 0,
    unexplained: 0,
    states: { sent: subscribers },
    subscriptionsLeft: 0,
    killed: kills,
  });
  // At most what the killed processes had under way, ten mails each.
  expect(report.repeated).toBeLessThanOrEqual(kills * 10);
  expect(report.refused).toBeGreaterThan(0);
});

test('with dispatchers restarted by SIGTERM while they send, everyone is told, and nobody twice', async () => {
  const subscribers = inFull(600, 200);
  const restarts = inFull(6, 2);
  const report = await runCrash(service, {
    subscribers,
    dispatchers: 2,
    kills: restarts,
    signal: 'SIGTERM',
    failureRate: 0,
    leaseMs: 20_000,
  });
  expect(report).toMatchObject({
    reached: subscribers,
    repeated: 0,
    states: { sent: subscribers },
    subscriptionsLeft: 0,
    killed: restarts,
  });
});
