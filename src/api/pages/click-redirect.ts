import type { Application, Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Services } from '../../context.ts';
import { AppError } from '../../platform/errors.ts';
import { destinationOf, isSigned, readToken } from '../../stores/revenue/click.rules.ts';
import { countClick, findLink, verifyLink } from '../../stores/revenue/click.service.ts';
import type { FoundLink } from '../../stores/revenue/click.service.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { nameRoute } from '../access-log.ts';
import { admitLink } from '../authenticate.ts';
import { queryOf } from '../rest/read.ts';
import { languageFor, notePage, sendTokenPage } from './token-page.ts';

const ROUTE = '/go/:token';

/** A visitor waits no longer than this for the database. */
const MAX_WAIT_MS = 250;
/** Stores whose links still work while the database is down. */
const MAX_STORES = 1_000;
const MAX_QUERY = 1_000;

/** Browsers and email clients that prefetch say so; nobody has clicked what they open. */
function isPrefetch({ method, headers }: Request): boolean {
  const purposes = [headers['purpose'], headers['sec-purpose'], headers['x-purpose'], headers['x-moz']];
  return method === 'HEAD' || /prefetch|preview|prerender/i.test(purposes.join());
}

/** The result if it comes in time; `late` if it does not, or fails. */
async function inTime<Result, Late>(pending: Promise<Result>, late: Late): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<Late>((resolve) => (timer = setTimeout(() => resolve(late), MAX_WAIT_MS)));
  try {
    return await Promise.race([pending.catch(() => late), waited]);
  } finally {
    clearTimeout(timer);
  }
}

/** Serves the links in alerts: records the click and redirects to the product, also while the database is down. */
export function serveClicks(app: Application, services: Services): void {
  const known = new LRUCache<string, StoreRow>({ max: MAX_STORES });

  /** The store of a link; one that was seen before is found without the database. */
  const storeOf = async (req: Request, res: Response, pid: string): Promise<StoreRow | null> => {
    const admitted = admitLink(services, req, res, pid).then(({ viewer: { store } }) => {
      if (store) known.set(pid, store);
      return store;
    });
    const remembered = known.get(pid);
    if (remembered === undefined) return admitted;
    // The rate limit applies whether or not the store is known.
    const limited = admitted.catch((error: unknown) => {
      if (error instanceof AppError && error.type === 'too-many-requests') return error;
      throw error;
    });
    const store = await inTime(limited, remembered);
    if (store instanceof AppError) throw store;
    return store;
  };

  const find = async (req: Request, res: Response): Promise<FoundLink | null> => {
    const link = readToken(String(req.params['token']));
    if (link?.kind === 'long') {
      const store = await storeOf(req, res, link.pid);
      return store && verifyLink(services, store, link);
    }
    await admitLink(services, req, res, '');
    return link && findLink(services, link);
  };

  /** Undefined when the database did not reply in time; the visitor is redirected all the same. */
  const count = (found: FoundLink): Promise<string | null | undefined> =>
    inTime(
      countClick(services, found).catch((error: unknown) => {
        services.log.warn({ err: error }, 'Could not record a click');
        return undefined;
      }),
      undefined,
    );

  app.get(ROUTE, async (req, res) => {
    nameRoute(res, ROUTE);
    const found = await find(req, res);
    // What a template, or an email client, appended to the link.
    const query = queryOf(req).slice(0, MAX_QUERY);
    const plain = found && destinationOf(found.target, query, null);
    if (found === null || plain === null) {
      const link = readToken(String(req.params['token']));
      const named = (link?.kind === 'long' && known.get(link.pid)) || null;
      const store = named && isSigned(named, link!, services.now()) ? named : null;
      const view = { store, language: languageFor(req, store) };
      return sendTokenPage(res, notePage(services, view, 'page.broken', 'page.unknown.text'), 404);
    }
    const click = isPrefetch(req) ? null : await count(found);
    res.setHeader('X-Robots-Tag', 'noindex');
    res.setHeader('Location', click ? destinationOf(found.target, query, click)! : plain);
    res.status(302).end();
  });
}
