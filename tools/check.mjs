#!/usr/bin/env node
// Runs types, lint and format at once and shows the output of each in one piece when it is over. Exits 1 and names those that failed.
import { spawn } from 'node:child_process';
import { ROOT } from './generate.mjs';

const CHECKS = { types: 'typecheck', lint: 'lint', format: 'format:check' };

const startedAt = performance.now();

/** Runs a script of package.json to its end; says whether it passed. */
async function passes([name, script]) {
  const child = spawn('npm', ['run', '--silent', script], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    env: { ...(process.stdout.isTTY && { FORCE_COLOR: '1' }), ...process.env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve) => child.on('close', resolve));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`--- ${name} ${code === 0 ? 'passed' : 'FAILED'} after ${seconds} s\n${output}`);
  return code === 0;
}

const checks = Object.entries(CHECKS);
const results = await Promise.all(checks.map(passes));
const failed = checks.flatMap(([name], index) => (results[index] ? [] : [name]));
if (failed.length > 0) {
  console.error(`FAILED: ${failed.join(', ')}`);
  process.exitCode = 1;
}
