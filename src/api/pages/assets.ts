import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express, Request, Response } from 'express';
import { fail } from '../../platform/errors.ts';
import { ROOT } from '../../platform/places.ts';
import { nameRoute } from '../access-log.ts';
import { newBody, sendBody } from '../send.ts';
import type { Body } from '../send.ts';

/** The output of `npm run build`. The path is the same from src/ and from dist/. */
const PUBLIC = new URL('dist/public/', ROOT);

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mts': 'text/plain; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.woff2': 'font/woff2',
};

export type Asset = { type: string; etag: string; body: Body };

/** Prepares bytes for sending; compression is done once, not for each request. */
export function makeAsset(type: string, plain: Buffer, isLasting = false): Asset {
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, etag, body: newBody(plain, isLasting) };
}

export async function sendAsset(req: Request, res: Response, { type, etag, body }: Asset): Promise<void> {
  res.setHeader('ETag', etag);
  if (req.fresh) return void res.vary('Accept-Encoding').status(304).end();
  res.setHeader('Content-Type', type);
  await sendBody(req, res, body);
}

/** Serves the asset that `load` finds for the name in the path. */
export function serveAsset(
  app: Express,
  route: string,
  headers: Record<string, string>,
  load: (file: string) => Asset | Promise<Asset>,
): void {
  app.get(route, async (req, res) => {
    nameRoute(res, route);
    const asset = await load(String(req.params['file']));
    nameRoute(res, route, req.path);
    await sendAsset(req, res.set(headers), asset);
  });
}

const cache = new Map<string, { changedMs: number; asset: Promise<Asset> }>();

/** A file in a folder of dist/public, read again when it changed; 404 when there is none. */
export async function loadAsset(folder: 'assets' | 'client', name: string): Promise<Asset> {
  // Otherwise each spelling of a file's name would fill the cache.
  if (!/^[\w-][\w.-]*$/.test(name)) fail('not-found');
  const path = `${folder}/${name}`;
  const url = new URL(path, PUBLIC);
  const found = await stat(url).catch(() => fail('not-found'));
  if (!found.isFile()) fail('not-found');
  const known = cache.get(path);
  if (known?.changedMs === found.mtimeMs) return known.asset;
  const type = TYPES[extname(fileURLToPath(url))] ?? 'application/octet-stream';
  const asset = readFile(url).then((bytes) => makeAsset(type, bytes, true));
  cache.set(path, { changedMs: found.mtimeMs, asset });
  return asset;
}

export function readPublic(file: string): Promise<string> {
  return readFile(new URL(file, PUBLIC), 'utf8').catch(() =>
    fail('not-found', 'The page is not built: run `npm run build`'),
  );
}
