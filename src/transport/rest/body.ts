import bodyParser from 'body-parser';
import type { Request, Response } from 'express';
import { AppError, fail } from '../../shared/errors.ts';
import { createGate } from '../../shared/gate.ts';
import { onLeave } from '../presence.ts';
import { addressGroup } from '../rate-limit.ts';

/** Largest body of any call, in bytes. */
export const MAX_BODY_BYTES = 2_000_000;

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const readRaw = bodyParser.raw({ type: () => true, limit: MAX_BODY_BYTES });
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Turns what body-parser throws into our failures. */
function bodyFailure(error: unknown): Error {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large')
    return new AppError('request-too-large', 'The body must not be larger than 2 MB');
  if (type === 'encoding.unsupported')
    return new AppError('unsupported-content-type', 'This content encoding is not supported');
  return new AppError('invalid-request', 'The body cannot be read');
}

/**
 * Large bodies take turns: as JSON, 2 MB of empty arrays are 40 MB of objects, and a caller is not known before its body is read. They are few,
 * since an array has at most 500 entries.
 */
const LARGE_BODY = 200_000;
const largeBodies = createGate({
  weight: MAX_BODY_BYTES,
  capacity: 12 * MAX_BODY_BYTES,
  perStore: 12 * MAX_BODY_BYTES,
  perCaller: 4 * MAX_BODY_BYTES,
});

let turn = Promise.resolve();

/** What follows a large body takes long enough: others are served before the next one. */
function nextTurn(): Promise<void> {
  turn = turn.then(() => new Promise((done) => setImmediate(done)));
  return turn;
}

/** Waits until there is room for the body; what does not say its size counts as large. */
async function awaitRoom(req: Request, res: Response): Promise<void> {
  const size = Number(req.headers['content-length'] ?? (req.headers['transfer-encoding'] ? Infinity : 0));
  if (size <= LARGE_BODY && req.headers['content-encoding'] === undefined) return;
  const { lease, leave } = largeBodies.enter({ store: '', caller: addressGroup(req.ip ?? '') });
  onLeave(res, leave);
  const { release } = await lease;
  onLeave(res, release);
}

/** Reads the whole body as bytes, within the limit. */
export async function readBody(req: Request, res: Response): Promise<Buffer> {
  await awaitRoom(req, res);
  const body = await new Promise<Buffer>((resolve, reject) => {
    readRaw(req, res, (error?: unknown) => {
      if (error) reject(bodyFailure(error));
      else resolve(Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0));
    });
  });
  if (body.length > LARGE_BODY) await nextTurn();
  return body;
}

/** The text of a body, without a byte order mark; anything that is not UTF-8 is the failure `invalid-request`. */
export function decodeText(bytes: Buffer): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return fail('invalid-request', 'The body is not UTF-8 text');
  }
}

/** Reads a form-encoded body as text; an empty body needs no content type. */
export async function readFormBody(req: Request, res: Response): Promise<string> {
  const contentType = req.headers['content-type'];
  if (contentType !== undefined && !FORM_TYPE.test(contentType)) {
    fail('unsupported-content-type', 'Send the body as application/x-www-form-urlencoded');
  }
  const bytes = await readBody(req, res);
  if (bytes.length > 0 && contentType === undefined) {
    fail('unsupported-content-type', 'Send the body as application/x-www-form-urlencoded');
  }
  return decodeText(bytes);
}
