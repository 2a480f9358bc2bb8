import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { useService } from '../../harness.ts';
import { program } from '../../program.ts';
import { until } from '../../until.ts';
import { freePort } from '../parts/process.ts';

const service = useService();

test('a worker serves its metrics, and nothing else, at METRICS_PORT', async () => {
  const port = String(await freePort());
  const { dataDir } = service.services.config;
  const worker = spawn(process.execPath, [program('cli/worker')], {
    cwd: dataDir,
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: dataDir,
      DATABASE_URL: service.database.url,
      METRICS_PORT: port,
    },
  });
  const ended = once(worker, 'close');
  await until(async () =>
    ((await once(worker.stdout, 'data')) as Buffer[]).join('').includes('METRICS_PORT'),
  );
  const at = (path: string, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers });
  expect(await (await at('/metrics')).text()).toContain('\nwishgate_build_info{version="');
  expect((await at('/metrics', { 'x-forwarded-for': '1.2.3.4' })).status).toBe(404);
  expect((await at('/healthz')).status).toBe(404);
  worker.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
});
