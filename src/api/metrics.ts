import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Application } from 'express';
import { watchOutbox } from '../alerts/queue/outbox.metrics.ts';
import type { Services } from '../context.ts';
import { isSameSecret } from '../platform/encrypt.ts';
import { AppError, errorBody } from '../platform/errors.ts';
import { collectMetrics } from '../platform/gateways.ts';
import { registry, watchProcess } from '../platform/metrics.ts';
import { VERSION } from '../platform/version.ts';
import { nameRoute } from './access-log.ts';
import { isLoopbackCall } from './loopback.ts';

const ROUTE = '/metrics';

function refuse(res: ServerResponse, failure: AppError): void {
  res.writeHead(failure.status, { 'Content-Type': 'application/json; charset=utf-8', ...failure.headers });
  res.end(JSON.stringify(errorBody(failure)));
}

const NOT_FOUND = new AppError('not-found', 'Not found');
const NO_TOKEN = new AppError('unauthorised', 'Send the metrics token in the Authorization header', {
  'WWW-Authenticate': 'Bearer',
});

/** Serves scrapes from loopback or with the token; without a configured token, `missing` responds to other callers. */
function createScrape(services: Services) {
  watchProcess(VERSION);
  watchOutbox(services);
  const { config } = services;
  const { metricsToken } = config;
  return async (req: IncomingMessage, res: ServerResponse, missing: () => void): Promise<void> => {
    if (!isLoopbackCall(req, config)) {
      if (metricsToken === null) return missing();
      const [, given = ''] = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '') ?? [];
      if (!isSameSecret(given, metricsToken)) return refuse(res, NO_TOKEN);
    }
    const text = await collectMetrics();
    res.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' });
    res.end(text);
  };
}

export function serveMetrics(app: Application, services: Services): void {
  const scrape = createScrape(services);
  app.get(ROUTE, (req, res, next) => {
    nameRoute(res, ROUTE);
    return scrape(req, res, next);
  });
}

/** Serves only /metrics at METRICS_PORT, if set, because a worker has no other server. It does not keep the process alive. */
export async function listenForMetrics(services: Services): Promise<void> {
  const { metricsPort, host } = services.config;
  if (metricsPort === null) return;
  const scrape = createScrape(services);
  const server = createServer((req, res) => {
    const missing = (): void => refuse(res, NOT_FOUND);
    if (req.method === 'GET' && req.url === ROUTE) void scrape(req, res, missing);
    else missing();
  });
  server.unref().listen(metricsPort, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`METRICS_PORT ${metricsPort} cannot be opened on ${host} (${error.code}); set another`);
  });
  services.log.info({ port: metricsPort }, 'Serving metrics on METRICS_PORT');
}
