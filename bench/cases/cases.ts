import type { Case } from '../bench.ts';
import { contents, graphql, lists } from './reads.ts';
import { write } from './writes.ts';

/** All measurements, in the order in which they run. */
export const CASES: readonly Case[] = [lists, contents, graphql, write];
