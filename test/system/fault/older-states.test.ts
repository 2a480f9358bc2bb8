import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { epochOf, sessionidOf } from '../../../src/shoppers/identity.rules.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { fillTables } from '../../fill.ts';
import type { Filled } from '../../fill.ts';
import { startService } from '../../harness.ts';
import type { TestService, TestShopper } from '../../harness.ts';
import { createEmptyDatabase } from './fixtures/embedded-kit.ts';

const MIGRATIONS = 'prisma/migrations';
/** What ends on purpose: the links of sessions of an older form by the migration of the new one, and notes of a transaction with it. */
const ENDED: Record<string, string> = { guest_link: '20261115000900_session_marks', catalog_change: '9' };

type State = { name: string; tag: string; filled: Filled };

let folder: string;
let service: TestService;
let pool: pg.Pool;
const states: State[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wishgate-states-'));
  const database = await createEmptyDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined);
  const names = (await readdir(MIGRATIONS)).filter((name) => /^\d/.test(name)).sort();
  for (const [at, name] of names.entries()) {
    await cp(join(MIGRATIONS, name), join(folder, name), { recursive: true });
    await migrate(pool, createLogger('silent'), folder);
    const tag = `state${at}`;
    states.push({ name, tag, filled: await fillTables(pool, tag) });
  }
  service = await startService({}, undefined, { database });
});

afterAll(async () => {
  await pool.end();
  await service.close();
  await service.database.drop();
  await rm(folder, { recursive: true });
});

test('rows of every earlier state of the database are there after all later migrations', async () => {
  const { rows: tables } = await pool.query<{ name: string; hasPid: boolean }>(
    `SELECT relname AS name, EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'pid') AS "hasPid"
     FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  );
  const lost: string[] = [];
  for (const { name: table, hasPid } of tables) {
    const owner = hasPid ? 'pid' : `''`;
    const { rows } = await pool.query<{ owner: string; n: number }>(
      `SELECT ${owner} AS owner, count(*)::int AS n FROM "${table}" GROUP BY ${hasPid ? owner : '()'}`,
    );
    const counts = new Map(rows.map(({ owner: of, n }) => [of, n]));
    const kept = states.filter(({ name, filled }) => filled[table] && name >= (ENDED[table] ?? ''));
    const all = kept.reduce((sum, { filled }) => sum + filled[table]!, 0);
    if (!hasPid && (counts.get('') ?? 0) < all) lost.push(`${table}: ${counts.get('')} of ${all}`);
    for (const { name, tag, filled } of hasPid ? kept : [])
      if ((counts.get(tag) ?? 0) < filled[table]!)
        lost.push(`${table} of ${name}: ${counts.get(tag)} of ${filled[table]}`);
  }
  expect(lost).toEqual([]);
  expect(states.length).toBeGreaterThan(40);
});

/** Who owned the first list of a state. */
async function ownerIn(tag: string): Promise<TestShopper> {
  const { rows } = await pool.query<{ regid: string; epoch: number; secret: Buffer; session_epoch: number }>(
    'SELECT h.regid, h.epoch, s.secret, s.session_epoch FROM shopper h JOIN store s USING (pid) WHERE pid = $1 ORDER BY h.regid LIMIT 1',
    [tag],
  );
  const { regid, epoch, secret, session_epoch: sessionEpoch } = rows[0]!;
  return {
    pid: tag,
    regid,
    sessionid: sessionidOf({ secret, tokenKeys: [] }, regid, 'test', epochOf({ sessionEpoch }, { epoch })),
  };
}

test("both doors of today's service read the lists of every earlier state, and write to them", async () => {
  const withLists = states.filter(({ filled }) => filled['item']);
  expect(withLists.length).toBe(states.length - 1);
  for (const { tag } of withLists) {
    const shopper = await ownerIn(tag);
    const lid = `${tag}-list-lid-0`;
    const expected = { lid, lname: `${tag}-list-lname-0`, cnt: 1 };
    const rest = await service
      .post('/api/v3/lists/fetch-list-with-contents', { lid }, { shopper })
      .expect(200);
    expect(rest.body.list).toMatchObject(expected);
    expect(rest.body.items).toMatchObject([{ epi: expect.stringContaining(tag) }]);
    const added = { epi: 1, empi: 2, du: 'https://shop.example/p' };
    await service.post('/api/v3/lists/update-ctx', { lid, a: [added] }, { shopper }).expect(200);
    const { body } = await service.graphql(
      'query ($lid: ID!) { list(lid: $lid) { lid lname cnt } }',
      { lid },
      { shopper },
    );
    expect(body).toEqual({ data: { list: { ...expected, cnt: 2 } } });
  }
});
