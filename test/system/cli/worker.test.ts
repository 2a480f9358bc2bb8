import { useService } from '../../harness.ts';
import { until } from '../../until.ts';
import { besideService, endMains, startMain } from '../fault/fixtures/main-process.ts';
import { freePort } from '../parts/process.ts';

const service = useService();

afterEach(endMains);

test.each([
  ['cli/worker', 'Usage: npm run worker'],
  ['main', 'Usage: npm start'],
] as const)('--help and a flag that it does not know do not start %s', async (program, usage) => {
  const call = (...args: string[]) => startMain(besideService(service), program, { args }).ended;
  const [help, unknown] = await Promise.all([call('--help'), call('--once')]);
  expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(usage) });
  expect(unknown).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--once') });
});

test('a worker serves its metrics, and nothing else, at METRICS_PORT', async () => {
  const port = String(await freePort());
  const env = { ...besideService(service), LOG_LEVEL: 'info', METRICS_PORT: port };
  const worker = startMain(env, 'cli/worker');
  await until(() => worker.written().includes('METRICS_PORT'));
  const at = (path: string, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers });
  expect(await (await at('/metrics')).text()).toContain('\nwishgate_build_info{version="');
  expect((await at('/metrics', { 'x-forwarded-for': '1.2.3.4' })).status).toBe(404);
  expect((await at('/healthz')).status).toBe(404);
  expect((await worker.end()).code).toBe(0);
});
