import type { Case } from '../bench.ts';
import { handover, holders, readsDuring, restock } from './alerts.ts';
import { bare } from './bare.ts';
import { growth } from './growth.ts';
import { identify } from './identify.ts';
import { importing } from './import.ts';
import { overload } from './overload.ts';
import { memory, processes, start, twoProcesses } from './process.ts';
import { contents, graphql, lists } from './reads.ts';
import { streams } from './streams.ts';
import { subscribe } from './subscribe.ts';
import { write } from './writes.ts';

/** All measurements, in the order in which they run. */
export const CASES: readonly Case[] = [
  ...[bare, lists, contents, graphql, write, subscribe, identify],
  ...[restock, holders, handover, readsDuring, importing, growth],
  ...[streams, overload, twoProcesses, processes, memory, start],
];
