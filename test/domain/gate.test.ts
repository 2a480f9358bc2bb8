import { createGate } from '../../src/shared/gate.ts';
import type { Lease } from '../../src/shared/gate.ts';

const LIMITS = { weight: 10, capacity: 30, perStore: 20, perCaller: 10 };

/** A gate whose guests are written down as they enter. */
function createProbe(limits = LIMITS) {
  const gate = createGate(limits);
  const inside: string[] = [];
  const leases = new Map<string, Lease>();
  const enter = (store: string, caller: string, name = `${store}${caller}`): (() => void) => {
    const { lease, leave } = gate.enter({ store, caller });
    lease.then(
      (admitted) => {
        inside.push(name);
        leases.set(name, admitted);
      },
      () => undefined,
    );
    return leave;
  };
  const settled = (): Promise<void> => new Promise((done) => setImmediate(done));
  return { gate, inside, leases, enter, settled };
}

test('a caller has its share, a store has its share, and the rest is for others', async () => {
  const { inside, enter, settled } = createProbe();
  for (const [store, caller] of [
    ['A', '1'],
    ['A', '1'],
    ['A', '2'],
    ['A', '3'],
    ['B', '1'],
    ['C', '1'],
  ] as const)
    enter(store, caller);
  await settled();
  expect(inside).toEqual(['A1', 'A2', 'B1']);
});

test('those who wait take turns by store and by caller, not by the order in which they came', async () => {
  const { inside, leases, enter, settled } = createProbe({ ...LIMITS, capacity: 10 });
  enter('A', '1', 'first');
  for (const name of ['A1a', 'A1b', 'A1c']) enter('A', '1', name);
  enter('A', '2', 'A2a');
  enter('B', '1', 'B1a');
  for (let n = 0; n < 6; n += 1) {
    await settled();
    leases.get(inside.at(-1)!)!.release();
  }
  expect(inside).toEqual(['first', 'A1a', 'B1a', 'A2a', 'A1b', 'A1c']);
});

test('a call that shrinks makes room, one that leaves is forgotten, and releasing twice counts once', async () => {
  const { gate, inside, leases, enter, settled } = createProbe({ ...LIMITS, perStore: 30, perCaller: 30 });
  for (const name of ['a', 'b', 'c']) enter('A', '1', name);
  const leave = enter('A', '1', 'gone');
  enter('A', '1', 'd');
  await settled();
  expect(inside).toEqual(['a', 'b', 'c']);
  leave();
  leases.get('a')!.shrink(5);
  leases.get('b')!.shrink(5);
  await settled();
  expect(inside).toEqual(['a', 'b', 'c', 'd']);
  leases.get('c')!.release();
  leases.get('c')!.release();
  enter('A', '1', 'e');
  enter('A', '1', 'f');
  await settled();
  expect(inside).toEqual(['a', 'b', 'c', 'd', 'e']);
  for (const lease of leases.values()) lease.release();
  await settled();
  leases.get('f')!.release();
  await expect(gate.enter({ store: 'B', caller: '1' }).lease).resolves.toBeDefined();
});

test('a caller with very many waiting is refused at once', async () => {
  const { gate, enter } = createProbe();
  const leaves = Array.from({ length: 201 }, () => enter('A', '1'));
  await expect(gate.enter({ store: 'A', caller: '1' }).lease).rejects.toMatchObject({
    type: 'too-many-requests',
  });
  for (const leave of leaves) leave();
  await expect(gate.enter({ store: 'A', caller: '2' }).lease).resolves.toBeDefined();
});
