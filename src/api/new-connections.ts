import { createTurns } from '../platform/turns.ts';

/** Connections that were taken so soon after each other mean that more clients wait for theirs. */
const CROWD = { connections: 4, withinMs: 50 };
/** Requests that begin in one turn meanwhile. More of them would share their statements, and make the turn longer. */
const IN_A_TURN = 4;

let takenAt: number[] = [];
const shortTurn = createTurns(IN_A_TURN);

/** Notes that a client was connected. */
export function noteConnection(now = performance.now()): void {
  takenAt = [...takenAt, now].slice(-CROWD.connections);
}

/** Node takes one new connection in each turn of its loop, so that turns are kept short while clients wait to be connected. */
export async function letOthersConnect(now = performance.now()): Promise<void> {
  const areManyConnecting = takenAt.length === CROWD.connections && now - takenAt[0]! < CROWD.withinMs;
  if (areManyConnecting) await shortTurn();
}
