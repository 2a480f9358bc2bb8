import { execFile } from 'node:child_process';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newPid } from '../../src/platform/ids.ts';
import { useService } from '../harness.ts';

const service = useService();

const CHANCE = fileURLToPath(new URL('../setup/chance.cjs', import.meta.url));
const { begin } = createRequire(import.meta.url)(CHANCE) as { begin: (name: string) => void };

const DRAWS = `import { randomBytes, randomInt, randomUUID } from 'node:crypto';
  console.log([randomUUID(), randomInt(1e9), randomBytes(8).toString('hex'), Math.random(), crypto.randomUUID()].join())`;

/** What a program draws in a run with this seed. */
async function drawn(seed: string): Promise<string> {
  const program = `process.env.SEED = '${seed}'; require(${JSON.stringify(CHANCE)}).begin('program');
    import('data:text/javascript,' + encodeURIComponent(${JSON.stringify(DRAWS)}))`;
  return (await promisify(execFile)(process.execPath, ['--eval', program])).stdout;
}

test('a seed repeats what is random in a program, and another one does not', async () => {
  const [one, again, other] = await Promise.all([drawn('1'), drawn('1'), drawn('2')]);
  expect(again).toBe(one);
  expect(other).not.toBe(one);
});

test('what a test draws does not depend on the tests before it, and programs that it starts draw different values', async () => {
  begin('some test');
  const first = [randomUUID(), randomInt(1e9), randomBytes(8), Math.random()];
  begin('another test');
  expect(randomUUID()).not.toBe(first[0]);
  const program = "console.log(require('node:crypto').randomUUID(), process.env.SEED)";
  const started = await Promise.all(
    [1, 2].map(() => promisify(execFile)(process.execPath, ['--eval', program], { env: {} })),
  );
  const [one, two] = started.map(({ stdout }) => stdout.trim().split(' '));
  expect(one![0]).not.toBe(two![0]);
  expect([one![1], two![1]]).toEqual([process.env['SEED'], process.env['SEED']]);
});

test('no new pid begins with a plus, which a trimmed header would lose', () => {
  const pids = Array.from({ length: 1_000 }, newPid);
  expect(pids.filter((pid) => !/^[A-Za-z0-9/][A-Za-z0-9+/]{42}=$/.test(pid))).toEqual([]);
});

test("PostgreSQL's uuids come from the seed", async () => {
  const { rows } = await service.services.db.pool.query(
    `SELECT pronamespace::regnamespace::text AS schema, current_setting('chance.seed') AS seed, current_schema() AS own
     FROM pg_proc WHERE oid = 'gen_random_uuid()'::regprocedure`,
  );
  expect(rows).toEqual([
    { schema: 'chance', seed: expect.stringMatching(`^${process.env['SEED']} `), own: 'public' },
  ]);
});
