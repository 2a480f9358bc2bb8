import type { Application } from 'express';
import type { Services } from '../context.ts';
import { pendingMigrations } from '../database/migrate.ts';
import { AppError, errorBody } from '../shared/errors.ts';
import { nameRoute } from './access-log.ts';

/** Whether the process is on its way out; `main` sets it at SIGTERM. */
export type Lifecycle = { isDraining: boolean };

/** Null when the service can answer calls, else why not. */
async function reasonNotReady({ db, log }: Services, lifecycle: Lifecycle): Promise<string | null> {
  if (lifecycle.isDraining) return 'The service is shutting down';
  try {
    const pending = await pendingMigrations(db.pool);
    return pending.length === 0 ? null : 'The database lacks migrations';
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'the database is not reachable');
    return 'The database is not reachable';
  }
}

/** Serves /healthz (the process runs) and /readyz (it can answer calls). */
export function serveHealth(app: Application, services: Services, lifecycle: Lifecycle): void {
  app.get('/healthz', (_req, res) => {
    nameRoute(res, '/healthz');
    res.json({ status: 'ok' });
  });
  app.get('/readyz', async (_req, res) => {
    nameRoute(res, '/readyz');
    const reason = await reasonNotReady(services, lifecycle);
    if (reason === null) res.json({ status: 'ready' });
    else
      res
        .status(503)
        .set('Retry-After', '5')
        .json(errorBody(new AppError('unavailable', reason)));
  });
}
