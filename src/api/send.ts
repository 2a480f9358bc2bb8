import type { Request, Response } from 'express';
import type { CallResponse } from './response-cache.ts';
import { encodingFor, isWorthPacking, pack } from '../platform/compression.ts';
import type { Body } from '../platform/compression.ts';

/** A reader who takes nothing for so long is gone. */
const STALL_MS = 15_000;
/** Slower readers than this hold up memory for nothing. */
export const MIN_BYTES_A_SECOND = 32_000;
/** The system's own buffers take less than this at once. */
const LARGE_BODY = 64_000;

/** Sends a body, packed where the reader asks for it. */
export async function sendBody(req: Request, res: Response, body: Body): Promise<void> {
  res.vary('Accept-Encoding');
  const encoding = isWorthPacking(body) ? encodingFor(req.headers['accept-encoding']) : null;
  const packed = encoding === null ? null : await pack(body, encoding);
  if (packed) res.setHeader('Content-Encoding', encoding!);
  const bytes = packed ?? body.plain;
  res.setHeader('Content-Length', bytes.length);
  handOver(res, bytes);
}

/** Hands an answer to its reader, who has to take it: a process holds only so much that nobody reads. */
function handOver(res: Response, bytes: Buffer): void {
  if (res.destroyed) return;
  if (bytes.length > LARGE_BODY) {
    const cut = (): void => void res.destroy();
    res.setTimeout(STALL_MS, cut);
    const limit = setTimeout(cut, STALL_MS + (bytes.length / MIN_BYTES_A_SECOND) * 1_000);
    res.once('close', () => clearTimeout(limit));
  }
  res.end(bytes);
}

/** Sends a response, new or cached. */
export async function sendResponse(req: Request, res: Response, { body, type }: CallResponse): Promise<void> {
  res.setHeader('Content-Type', type);
  await sendBody(req, res, body);
}
