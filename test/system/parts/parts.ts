import { existsSync } from 'node:fs';

/** Programs that an operator puts beside the service, where Debian puts them. */
const PROGRAMS = {
  'PostgreSQL 15': '/usr/lib/postgresql/15/bin/postgres',
  PgBouncer: '/usr/sbin/pgbouncer',
  Redis: '/usr/bin/redis-server',
  HAProxy: '/usr/sbin/haproxy',
  Patroni: '/usr/bin/patroni',
  etcd: '/usr/bin/etcd',
} as const;

/** A program that the tests run beside the service. */
export type Part = keyof typeof PROGRAMS;

/** Where a program is. */
export function programOf(part: Part): string {
  return PROGRAMS[part];
}

/** Tests that need real programs beside the service; where one is missing they are left out, with a line that says so. `.ci/run` installs them. */
export function describeWith(parts: readonly Part[], name: string, tests: () => void): void {
  const missing = parts.filter((part) => !existsSync(PROGRAMS[part]));
  if (missing.length === 0) return describe(name, tests);
  process.stderr.write(`skipped: ${name}: not installed: ${missing.join(', ')}\n`);
  describe.skip(name, tests);
}
