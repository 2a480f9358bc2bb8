import type { Services } from '../context.ts';
import type { Task } from './worker.ts';

/** All background work of the service; every process that runs a worker runs all of it. */
export function createTasks(_services: Services): Task[] {
  return [];
}
