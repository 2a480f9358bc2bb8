import { vendor, vendored } from './tools/vendor.mjs';

await vendor();

/** @type {import('jest').Config} */
const config = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  moduleNameMapper: vendored,
  globalSetup: '<rootDir>/test/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/setup/global-teardown.ts',
  // Two cores are busy with three: many tests wait for processes and browsers. With more, those run into limits.
  maxWorkers: 3,
  // Node 20 frees no module that Jest has loaded, so a worker grows with every test file; a new one takes its place.
  workerIdleMemoryLimit: '1GB',
  // Tests that start PostgreSQL take 2 s alone, and many times that on a busy build machine.
  testTimeout: 60_000,
  // A test that leaves a connection or a timer open must be seen, not ended.
  forceExit: false,
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', '!src/generated/**'],
};

// Jest takes its configuration from the default export only.
export default config;
