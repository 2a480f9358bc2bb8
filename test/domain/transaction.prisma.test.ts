import { openDatabase } from '../../src/platform/database/database.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createTestDatabase } from '../setup/database.ts';
import type { TestDatabase } from '../setup/database.ts';

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url, 4, createLogger('fatal'));
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const store = (pid: string) => ({ pid, name: pid, secret: new Uint8Array(32) });
const namesOf = async (...pids: string[]): Promise<string[]> =>
  (await db.query<{ name: string }>('SELECT name FROM store WHERE pid = ANY ($1) ORDER BY pid', [pids])).map(
    ({ name }) => name,
  );

test('typed calls and statements of one transaction see each other, and nobody else does before the commit', async () => {
  await db.transaction(async (tx) => {
    await tx.prisma.store.create({ data: store('a1') });
    expect(await tx.query("SELECT 1 FROM store WHERE pid = 'a1'")).toHaveLength(1);
    await tx.query("UPDATE store SET name = 'renamed' WHERE pid = 'a1'");
    expect(await tx.prisma.store.findFirst({ where: { pid: 'a1' } })).toMatchObject({ name: 'renamed' });
    expect(await namesOf('a1')).toEqual([]);
  });
  expect(await namesOf('a1')).toEqual(['renamed']);
});

test('a failure undoes typed calls and statements together', async () => {
  const failed = db.transaction(async (tx) => {
    await tx.prisma.store.create({ data: store('b1') });
    await tx.query("INSERT INTO store (pid, name, secret) VALUES ('b2', 'b2', '')");
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await namesOf('b1', 'b2')).toEqual([]);
});

test("a transaction of Prisma's inside of ours is undone alone, and with ours", async () => {
  await db.transaction(async (tx) => {
    await tx.prisma.store.create({ data: store('c1') });
    const inner = tx.prisma.$transaction([
      tx.prisma.store.create({ data: store('c2') }),
      tx.prisma.store.create({ data: store('c1') }),
    ]);
    await expect(inner).rejects.toMatchObject({ code: 'P2002' });
    await tx.prisma.$transaction([tx.prisma.store.create({ data: store('c3') })]);
  });
  expect(await namesOf('c1', 'c2', 'c3')).toEqual(['c1', 'c3']);
  const failed = db.transaction(async (tx) => {
    await tx.prisma.$transaction([tx.prisma.store.create({ data: store('c4') })]);
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await namesOf('c4')).toEqual([]);
});

test('transactions at the same time keep their typed calls apart', async () => {
  const pids = Array.from({ length: 12 }, (_, index) => `d${index}`);
  const work = pids.map((pid, index) =>
    db
      .transaction(async (tx) => {
        await tx.prisma.store.create({ data: store(pid) });
        const seen = await tx.prisma.store.findMany({ where: { pid: { in: pids } } });
        expect(seen.map((row) => row.pid)).toContain(pid);
        if (index % 2 === 1) throw new Error('no');
      })
      .catch(() => undefined),
  );
  await Promise.all(work);
  expect((await namesOf(...pids)).sort()).toEqual(['d0', 'd10', 'd2', 'd4', 'd6', 'd8']);
});

test('a deadlock that a typed call meets starts the transaction again', async () => {
  await db.prisma.store.createMany({ data: [store('e1'), store('e2')] });
  let tries = 0;
  let arrived = 0;
  let meet: () => void;
  const met = new Promise<void>((resolve) => (meet = resolve));
  const touch = (first: string, second: string) =>
    db.transaction(async (tx) => {
      tries += 1;
      await tx.prisma.store.update({ where: { pid: first }, data: { sessionEpoch: { increment: 1 } } });
      if ((arrived += 1) === 2) meet();
      await met;
      await tx.prisma.store.update({ where: { pid: second }, data: { sessionEpoch: { increment: 1 } } });
    });
  await Promise.all([touch('e1', 'e2'), touch('e2', 'e1')]);
  expect(tries).toBeGreaterThan(2);
  const rows = await db.prisma.store.findMany({ where: { pid: { in: ['e1', 'e2'] } } });
  expect(rows.map(({ sessionEpoch }) => sessionEpoch)).toEqual([2, 2]);
});

test('what is to follow a commit happens once after it, and never without it', async () => {
  const calls: string[] = [];
  const end = db.onWork(() => void calls.push('work'));
  await db.transaction(async (tx) => {
    tx.afterCommit(tx.wake);
    tx.afterCommit(tx.wake);
    await tx.prisma.store.create({ data: store('f1') });
    expect(calls).toEqual([]);
  });
  expect(calls).toEqual(['work']);
  const failed = db.transaction(async (tx) => {
    tx.afterCommit(tx.wake);
    await tx.prisma.store.create({ data: store('f1') });
  });
  await expect(failed).rejects.toMatchObject({ code: 'P2002' });
  end();
  await db.transaction(async (tx) => tx.afterCommit(tx.wake));
  expect(calls).toEqual(['work']);
});

test("a promise of Prisma's that the work hands out as it is runs inside", async () => {
  await db.transaction((tx) => tx.prisma.store.create({ data: store('h1') }));
  const [renamed] = await db.transaction((tx) => {
    void tx.query("UPDATE store SET name = 'inside' WHERE pid = 'h1'");
    return tx.prisma.store.findMany({ where: { pid: 'h1' } });
  });
  expect(renamed!.name).toBe('inside');
});

test('a statement that comes after the end of its transaction is refused', async () => {
  let left: (() => Promise<unknown>) | undefined;
  await db.transaction(async (tx) => void (left = () => tx.query('SELECT 1')));
  await expect(left!()).rejects.toThrow('The transaction is over');
});

/** What two readers of one moment see of a store that is being renamed: one inside of the transaction and one outside. */
async function readTogether(read: (pid: string) => Promise<{ name: string } | null>, pid: string) {
  await db.prisma.store.create({ data: store(pid) });
  let begin: () => void;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const outside = begun.then(() => read(pid));
  // Both have read before the commit.
  const seen = await db.transaction(async (tx) => {
    await tx.query("UPDATE store SET name = 'renamed' WHERE pid = $1", [pid]);
    begin();
    return Promise.all([read(pid), outside]);
  });
  return seen.map((row) => row!.name);
}

test('readers of one moment see what is theirs: findFirst asks for each of them', async () => {
  expect(await readTogether((pid) => db.prisma.store.findFirst({ where: { pid } }), 'g1')).toEqual([
    'renamed',
    'g1',
  ]);
});

// Should this fail one day, the rule of the linter against findUnique can go.
test('findUnique joins the readers of one moment, so that one of them reads on the connection of the other', async () => {
  const [inside, outside] = await readTogether((pid) => db.prisma.store.findUnique({ where: { pid } }), 'g2');
  expect(inside).toBe(outside);
});
