import type { Services } from '../../context.ts';
import { copyNextPortion } from '../../lists/list.service.ts';
import { foldReports } from '../../stores/reports/report.service.ts';
import { createDispatchTasks } from './dispatcher.ts';
import { createHousekeeping } from './housekeeping.ts';
import type { Task } from './worker.ts';

/** All background work of the service; every process that runs a worker runs all of it. */
export function createTasks(services: Services): Task[] {
  return [
    { name: 'fold-reports', run: () => foldReports(services) },
    { name: 'list-copy', run: () => copyNextPortion(services) },
    ...createDispatchTasks(services),
    ...createHousekeeping(services),
  ];
}
