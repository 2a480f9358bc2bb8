// 10,000 subscribers, four dispatcher processes, random kills, a mail server that fails 20 % of its calls.
//   npx tsx bench/alerts-crash.ts [subscribers] [kills]
import { runCrash } from '../test/system/fault/dispatch-crash.ts';
import { startService } from '../test/harness.ts';
import { ENV } from '../test/setup/run.ts';
import { startTestServer } from '../test/setup/server.ts';

const [subscribers = 10_000, kills = 12] = process.argv.slice(2).map(Number);
const server = await startTestServer();
process.env[ENV.adminUrl] = server.adminUrl;
process.env[ENV.template] = server.template;
try {
  const service = await startService();
  const report = await runCrash(service, {
    subscribers,
    dispatchers: 4,
    kills,
    failureRate: 0.2,
    leaseMs: 10_000,
  });
  console.log(report);
  await service.close();
} finally {
  await server.stop();
}
