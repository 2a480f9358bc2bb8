import { setTimeout as delay } from 'node:timers/promises';
import type { Application } from 'express';
import type { Services } from '../context.ts';
import { readMigrationState } from '../platform/database/migrate.ts';
import type { MigrationState } from '../platform/database/migrate.ts';
import { AppError, errorBody } from '../platform/errors.ts';
import { VERSION } from '../platform/version.ts';
import { MAINTENANCE_RETRY_SECONDS } from '../shoppers/authenticate.service.ts';
import { isServiceClosed } from '../stores/store.service.ts';
import { nameRoute, traceOf } from './access-log.ts';

/** `main` sets `isDraining` at SIGTERM; the app sets `endStreams`, which ends connections that would stay open. */
export type Lifecycle = { isDraining: boolean; endStreams?: () => void };

const unavailable = (msg: string): AppError => new AppError('unavailable', msg);

/** Load balancers expect a response within a second. Calls wait longer, because the database may only pause. */
const RESPONSE_LIMIT_MS = 900;

/** Neither the build nor the state of its database is a secret. */
type State = { version: string; migrations?: MigrationState };

/** Null when the service can serve calls. */
async function reasonNotReady(
  { db, log }: Services,
  lifecycle: Lifecycle,
  state: State,
): Promise<AppError | null> {
  if (lifecycle.isDraining) return unavailable('The service is shutting down');
  try {
    state.migrations = await readMigrationState(db.monitor);
    if (state.migrations.pending.length > 0) return unavailable('Database migrations are missing');
    // Every call then returns 503, so a load balancer had better show its own page.
    if (!(await isServiceClosed(db))) return null;
    const headers = { 'Retry-After': MAINTENANCE_RETRY_SECONDS };
    return new AppError('maintenance', 'The service is down for maintenance', headers);
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'The database is unavailable');
    return unavailable('The database is unavailable');
  }
}

/** Serves /healthz (the process runs) and /readyz (it can serve calls). Both report the version, /readyz also the migrations. */
export function serveHealth(app: Application, services: Services, lifecycle: Lifecycle): void {
  app.get('/healthz', (_req, res) => {
    nameRoute(res, '/healthz');
    res.json({ status: 'ok', version: VERSION });
  });
  app.get('/readyz', async (_req, res) => {
    nameRoute(res, '/readyz');
    const state: State = { version: VERSION };
    const late = delay(RESPONSE_LIMIT_MS, unavailable('The database does not respond in time'), {
      ref: false,
    });
    const reason = await Promise.race([reasonNotReady(services, lifecycle, state), late]);
    if (reason === null) return void res.json({ status: 'ready', ...state });
    traceOf(res).type = reason.type;
    res
      .status(reason.status)
      .set(reason.headers)
      .json({ ...errorBody(reason), ...state });
  });
}
