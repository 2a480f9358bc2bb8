import { connectTo } from '../platform/database/move/server.ts';
import type { Move } from '../platform/database/move/server.ts';
import { findStore, listAllStores } from '../stores/store.service.ts';
import type { Command, Outcome } from './commands.ts';
import { abortOnSignal, clearProgress } from './copying.ts';
import { UsageError, required, textOf } from './flags.ts';
import { findMaps, mapLines, mapStore } from './haproxy.ts';
import { finishMove, moveStore, undoMove } from './move.ts';
import { createTicker } from './progress.ts';

const BACKEND = 'the name of its back end in HAProxy';

function describeMoved(pid: string, moved: Awaited<ReturnType<typeof moveStore>>): string {
  const end = `The old rows here are out of service; remove them: npm run store -- move --pid ${pid} --finish`;
  if (moved.differences === null) return `The store had moved already. ${end}`;
  if (moved.differences.length > 0)
    return `MOVED, BUT THE ROWS DIFFER:\n${moved.differences.join('\n')}\nKeep the old rows until you know why.`;
  const closed = `closed for ${(moved.closedMs / 1_000).toFixed(2)} s`;
  return `Moved ${moved.rows.toLocaleString('en')} rows; ${closed}; the checksums of all tables agree.\n${end}`;
}

export const moveCommands: Record<string, Command> = {
  move: {
    summary: 'Move a store to another PostgreSQL while it works; it is closed for a second at the end',
    flags: {
      pid: { type: 'string', value: 'PID', help: 'the store (see list)' },
      to: {
        type: 'string',
        value: 'URL',
        help: 'the database to move to: postgresql://user:password@host:port/name',
      },
      from: {
        type: 'string',
        value: 'URL',
        help: "this database as the other one's PostgreSQL reaches it, without a pooler; default DATABASE_URL",
      },
      backend: { type: 'string', value: 'NAME', help: `the target: ${BACKEND}` },
      back: { type: 'boolean', help: 'undo a move that has not ended' },
      finish: { type: 'boolean', help: 'remove the old rows of a store that has moved' },
    },
    async run(values, open) {
      const pid = required(values, 'pid');
      const mode = values['back'] === true ? 'back' : values['finish'] === true ? 'finish' : 'move';
      const to = mode === 'finish' ? '' : required(values, 'to');
      const backend = textOf(values, 'backend');
      const { config, db } = await open();
      if (mode === 'move' && config.haproxySocket !== null && backend === '')
        throw new UsageError(`--backend is missing: ${BACKEND}`);
      const ticker = createTicker(process.stderr);
      const say = (line: string): void => ticker.line(line);
      const show = (text: string): void => ticker.show(() => text);
      const store = await findStore(db, pid);
      const source = await connectTo(textOf(values, 'from') || db.pool.options.connectionString!, 'source');
      const start = async (move: Move): Promise<Outcome> => {
        if (mode === 'back') {
          await undoMove(move, show);
          return { json: { pid, undone: true }, text: 'The move is undone; the store works here.' };
        }
        const maps = await findMaps(config.haproxySocket);
        const lines = store ? mapLines(store, backend || '<back end>') : [];
        const route = async (): Promise<void> => {
          if (store) await mapStore(maps, store, backend, say);
          say(["Lines for HAProxy's stores.map:", ...lines].join('\n  '));
        };
        const signal = abortOnSignal();
        const work = moveStore({ ...move, leaseMs: config.dispatchLeaseMs, say, show, signal, route });
        const moved = await work.catch((cause: unknown) => {
          if (!signal.aborted) throw cause;
          throw new Error('Interrupted: run the command again to continue, or with --back to undo it', {
            cause,
          });
        });
        return { json: { pid, ...moved, map: lines }, text: describeMoved(pid, moved) };
      };
      try {
        if (mode === 'finish') {
          const removed = await finishMove(source, pid, show);
          return { json: { pid, removed }, text: `Removed ${removed.toLocaleString('en')} old rows.` };
        }
        const target = await connectTo(to, 'target');
        return await start({ source, target, pid }).finally(target.end);
      } finally {
        clearProgress();
        await source.end();
      }
    },
  },
  map: {
    summary: "Print the lines of HAProxy's stores.map for the stores of this server",
    flags: { backend: { type: 'string', value: 'NAME', help: `this server: ${BACKEND} (required)` } },
    async run(values, open) {
      const backend = required(values, 'backend');
      const stores = (await listAllStores(await open())).filter(
        ({ moveStep }) => moveStep === null || moveStep === 'paused' || moveStep === 'closed',
      );
      const lines = stores.flatMap((store) => mapLines(store, backend));
      return { json: lines, text: lines.join('\n') };
    },
  },
};
