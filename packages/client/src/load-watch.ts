import { clientError, notify } from './error.ts';
import type { OnError, Wishgate } from './types.ts';
import type * as watch from './watch.ts';

/** Starts watching once the module has loaded; the returned function stops it. */
export function startWatching(
  tools: watch.WatchTools,
  onLists: Parameters<Wishgate['watch']>[0],
  onError?: OnError,
): () => void {
  let isStopped = false;
  let stop = (): void => void (isStopped = true);
  const start = async (attempts: number): Promise<void> => {
    // A file next to this one, which bundlers find, too. Browsers remember a module that did not load, so that every other retry
    // takes the service's copy, by a new URL.
    const url = `${tools.baseUrl}/client/watch.mjs?${attempts}`;
    try {
      const loading = attempts % 2 ? import(url) : import('./watch.ts');
      const { watchLists } = (await loading) as typeof watch;
      if (!isStopped) stop = watchLists(tools, onLists, onError);
    } catch {
      if (isStopped) return;
      setTimeout(start, Math.min(30_000, 1_000 * 2 ** attempts), attempts + 1);
      notify(onError, clientError('unavailable', 'The part of the library that watches did not load'));
    }
  };
  void start(0);
  return () => stop();
}
