import { LRUCache } from 'lru-cache';
import type { Services } from '../context.ts';
import { HOUR_MS } from '../platform/time.ts';
import { noteKeyUse } from './store.repo.ts';

/** Keys whose last note is remembered; a forgotten one costs a statement that changes nothing. */
const MAX_KEYS = 10_000;

type Deps = Pick<Services, 'db' | 'now' | 'log'>;

/** Records when something was used, at most once an hour and in the background: a record that fails is lost. */
export function createUseNotes<Args extends string[]>(
  { now, log }: Deps,
  write: (at: Date, since: Date, ...args: Args) => Promise<void>,
): (...args: Args) => void {
  const noted = new LRUCache<string, number>({ max: MAX_KEYS });
  return (...args) => {
    const at = now();
    const name = args.join(' ');
    if (at.getTime() - (noted.get(name) ?? -Infinity) < HOUR_MS) return;
    noted.set(name, at.getTime());
    write(at, new Date(at.getTime() - HOUR_MS), ...args).catch((error: unknown) =>
      log.debug({ err: error }, 'the use of a key was not noted'),
    );
  };
}

export function createKeyUses(deps: Deps): (pid: string, keyId: string) => void {
  return createUseNotes(deps, (at, since, pid: string, keyId: string) =>
    noteKeyUse(deps.db, pid, keyId, at, since),
  );
}
