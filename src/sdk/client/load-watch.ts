import { clientError, notify } from './error.ts';
import type { OnError, Wishgate } from './types.ts';
import type { WatchTools, watchLists as WatchLists } from './watch.ts';

/**
 * Loads the module from the service, even if the library is part of a page's own bundle. Browsers remember a module that did not
 * load, so each retry uses another URL.
 */
const loadWatch = (baseUrl: string, attempts: number): Promise<{ watchLists: typeof WatchLists }> =>
  import(
    /* webpackIgnore: true */ /* @vite-ignore */ `${baseUrl}/client/watch.mjs${attempts > 0 ? `?${attempts}` : ''}`
  ) as never;

/** Starts watching once the module has loaded; the returned function stops it. */
export function startWatching(
  tools: WatchTools,
  onLists: Parameters<Wishgate['watch']>[0],
  onError?: OnError,
): () => void {
  let isStopped = false;
  let stop = (): void => void (isStopped = true);
  const start = (attempts: number): void =>
    void loadWatch(tools.baseUrl, attempts).then(
      ({ watchLists }) => {
        if (!isStopped) stop = watchLists(tools, onLists, onError);
      },
      () => {
        if (isStopped) return;
        setTimeout(start, Math.min(30_000, 1_000 * 2 ** attempts), attempts + 1);
        notify(onError, clientError('unavailable', 'The part of the library that watches did not load'));
      },
    );
  start(0);
  return () => stop();
}
