import { randomInt } from 'node:crypto';
import './tools/typescript.cjs';

// Everything random in a run comes from this seed, which the run prints; the workers inherit it.
process.env['SEED'] ??= String(randomInt(2 ** 31));

/** What both suites have in common. */
const common = {
  roots: ['<rootDir>/test'],
  runtime: '<rootDir>/test/setup/runtime.cjs',
  testEnvironment: '<rootDir>/test/setup/environment.cjs',
  transform: {},
  globalTeardown: '<rootDir>/test/setup/global-teardown.mjs',
};

/** @type {import('jest').Config} */
const config = {
  projects: [
    {
      ...common,
      displayName: 'quick',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['<rootDir>/test/system/'],
      globalSetup: '<rootDir>/test/setup/quick.cjs',
    },
    {
      ...common,
      displayName: 'system',
      testMatch: ['<rootDir>/test/system/**/*.test.ts'],
      globalSetup: '<rootDir>/test/setup/system.cjs',
    },
  ],
  watchman: false,
  testSequencer: './test/setup/sequencer.mjs',
  // Two cores are busy with three workers: tests wait for PostgreSQL, for processes and for browsers.
  maxWorkers: 3,
  // Nothing here takes long by itself; the limit only ends what would never end, on the busiest machine.
  // The long run does in one test what takes hours.
  testTimeout: process.env['TEST_TIER'] === 'long' ? 4 * 3_600_000 : 240_000,
  workerGracefulExitTimeout: 30_000,
};

// Jest takes its configuration from the default export only.
export default config;
