#!/usr/bin/env node
// Repeats a test suite in shuffled order and names every test that failed, with how often: what is red by chance is found here.
//   npm run test:repeat -- --times 10                 the quick suite, ten times
//   npm run test:repeat -- --suite system --busy 2    the system suite, while two busy loops take the processor
//   npm run test:repeat -- --slow                     answers in pages, requests and statements' results come up to 1.5 s late, at random
//   SEED=42 npm run test:repeat -- --times 1          once, with what was random in the run that printed this seed
//   npm run test:repeat -- test/api/live.test.ts      one file
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './generate.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '10' },
    busy: { type: 'string', default: '0' },
    slow: { type: 'boolean', default: false },
    suite: { type: 'string', default: positionalSuite() },
  },
});

/** With files named, both suites are searched for them. */
function positionalSuite() {
  return process.argv.slice(2).some((arg) => arg.startsWith('test/')) ? 'quick system' : 'quick';
}

const JEST = join(createRequire(import.meta.url).resolve('jest/package.json'), '../bin/jest.js');
const folder = mkdtempSync(join(tmpdir(), 'wishgate-repeat-'));

/** One of so many requests is slow. Browsers make few. */
const SLOW = { quick: '100', system: '20' };

/** Runs the suite once and answers the names of the tests that failed. */
async function runOnce(round, seed) {
  const outputFile = join(folder, `${round}.json`);
  const args = ['--selectProjects', ...values.suite.split(' '), '--randomize', '--silent', '--json'];
  const child = spawn(process.execPath, [JEST, ...args, '--outputFile', outputFile, ...positionals], {
    cwd: ROOT,
    env: { ...process.env, SEED: seed, ...(values.slow && { TEST_SLOW: SLOW[values.suite] ?? SLOW.system }) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (part) => (text += part));
  const [code] = await once(child, 'close');
  const { testResults } = JSON.parse(readFileSync(outputFile, 'utf8'));
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(ROOT, name);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length > 0) return tests.map(({ fullName }) => `${file}: ${fullName}`);
    return status === 'failed' ? [`${file}: ${message.trim().split('\n')[0]}`] : [];
  });
  if (code !== 0) console.log(text.replace(/^PASS .*\n/gm, ''));
  if (code !== 0 && failed.length === 0) failed.push(`the run itself: exit code ${code}`);
  return failed;
}

const loops = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
);
const counts = new Map();
try {
  for (let round = 1; round <= Number(values.times); round += 1) {
    const start = performance.now();
    const seed = process.env.SEED ?? String(randomInt(2 ** 31));
    const failed = await runOnce(round, seed);
    for (const name of failed) counts.set(name, (counts.get(name) ?? 0) + 1);
    const seconds = Math.round((performance.now() - start) / 1_000);
    console.log(`${round} of ${values.times}: ${failed.length} failed, ${seconds} s, SEED=${seed}`);
  }
} finally {
  for (const loop of loops) loop.kill();
  rmSync(folder, { recursive: true, force: true });
}
for (const [name, count] of [...counts].sort((one, other) => other[1] - one[1]))
  console.log(`failed ${count} of ${values.times}: ${name}`);
process.exitCode = counts.size > 0 ? 1 : 0;
