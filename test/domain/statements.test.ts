import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How much of what the repos ask the database for is typed; the rest says why it is not. It only ever rises. */
const MIN_TYPED_SHARE = 0.58;

/** Models that Prisma does not read or write, and why. */
const UNTYPED: Record<string, string> = {
  'AlertMute read': 'looked up for thousands of contacts in the statement that queues or sends',
  'AlertSeen read': 'one of six tables that decide on an alert, in one statement',
  'CatalogChange read': 'seen by triggers alone',
  'CatalogChange write': 'seen by triggers alone',
  'CatalogRevision read': 'every request reads it with its caller',
  'CatalogRevision write': 'moved by triggers',
  'IdempotencyUsage read': 'only counted on, in one statement',
  'IdempotencyUsage write': 'only counted on, in one statement',
  'IdempotentWrite read': "leases run on the database's clock",
  'ListCopy write': 'portions are written down and taken set-wise',
  'Product write': 'a write tells the step that it made, which alerts follow',
  'RevenueSum write': 'an order adds to several sums in one statement',
  'ServiceState read': 'monitors ask on a connection of their own, which Prisma does not have',
  'ShopifyEvent read': 'taken by writing it',
  'ShopifySubject write': 'moves on under a condition',
  'ShopperRevision read': 'every request reads it with its caller',
  'ShopperRevision write': 'moved by a trigger',
  'SignupWindow read': 'only counted on, in one statement',
  'Tally write': 'folded from the deltas in one statement',
  'TallyDelta read': 'folded in one statement',
  'TallyDelta write': 'every write of an item adds to it',
};

type Found = {
  /** Reasons by file and name; null where there is none. */
  statements: Record<string, string | null>;
  models: Record<string, { isRead: boolean; isWritten: boolean }>;
  calls: Record<string, { typed: number; sql: number }>;
  isListed: boolean;
};
let found: Found;

beforeAll(() => {
  found = JSON.parse(
    execFileSync(process.execPath, ['tools/statements.mjs'], { cwd: ROOT, encoding: 'utf8' }),
  );
});

test('every statement in SQL says why it is none of Prisma', () => {
  const bare = Object.entries(found.statements).filter(([, reason]) => reason === null);
  expect(bare).toEqual([]);
});

test('the decision lists the statements that there are: node tools/statements.mjs --write', () => {
  expect(found.isListed).toBe(true);
});

test('most of what the repos ask for is typed', () => {
  const counts = Object.values(found.calls);
  const typed = counts.reduce((sum, call) => sum + call.typed, 0);
  const all = counts.reduce((sum, call) => sum + call.typed + call.sql, 0);
  expect(typed / all).toBeGreaterThanOrEqual(MIN_TYPED_SHARE);
});

test('every model is read and written through Prisma, but for those with a reason', () => {
  const models = readdirSync(join(ROOT, 'prisma'))
    .filter((name) => name.endsWith('.prisma'))
    .flatMap((name) => [...readFileSync(join(ROOT, 'prisma', name), 'utf8').matchAll(/^model (\w+)/gm)])
    .map(([, model]) => model!);
  const missing = models.flatMap((model) => [
    ...(found.models[model]?.isRead ? [] : [`${model} read`]),
    ...(found.models[model]?.isWritten ? [] : [`${model} write`]),
  ]);
  expect(missing.sort()).toEqual(Object.keys(UNTYPED).sort());
});
