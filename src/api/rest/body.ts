import bodyParser from 'body-parser';
import type { Request, Response } from 'express';
import { AppError, fail } from '../../platform/errors.ts';
import { createFairQueue, onLeave } from '../../platform/in-flight.ts';
import type { FairQueue, Ticket } from '../../platform/in-flight.ts';
import { parseJson } from '../../platform/json.ts';
import { createTurns } from '../../platform/turns.ts';
import { addressGroup } from '../limit.ts';

export const MAX_BODY_BYTES = 2_000_000;

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const readRaw = bodyParser.raw({ type: () => true, limit: MAX_BODY_BYTES });
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function bodyFailure(error: unknown): Error {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large')
    return new AppError('request-too-large', 'The body must not be larger than 2 MB');
  if (type === 'encoding.unsupported')
    return new AppError('unsupported-content-type', 'This content encoding is not supported');
  return new AppError('invalid-request', 'The body cannot be read');
}

/** All bodies together, each from its first byte until its response; small ones are not counted. */
const MEMORY = { bytes: 32 * MAX_BODY_BYTES, uncounted: 10_000 };

type Held = { address: string; bytes: number; giveUp: (() => void) | null };

/** Oldest first. */
const bodies = new Set<Held>();
const heldBy = new Map<string, number>();
let held = 0;

function hold(body: Held, bytes: number): void {
  const ofAddress = (heldBy.get(body.address) ?? 0) + bytes;
  if (ofAddress === 0) heldBy.delete(body.address);
  else heldBy.set(body.address, ofAddress);
  body.bytes += bytes;
  held += bytes;
}

/** The address with the most bytes loses its newest incomplete body, so that slow senders never block others. */
function makeRoom(): void {
  while (held > MEMORY.bytes) {
    const coming = [...bodies].filter(({ giveUp }) => giveUp !== null);
    const most = Math.max(...coming.map(({ address }) => heldBy.get(address)!));
    const newest = coming.findLast(({ address }) => heldBy.get(address) === most);
    if (!newest) return;
    newest.giveUp!();
  }
}

/** Counts a body as it arrives, a compressed one at its possible full size; rejects when the body is dropped. */
function countBody(req: Request, res: Response, isPacked: boolean): Promise<never> {
  const body: Held = { address: addressGroup(req.ip ?? ''), bytes: 0, giveUp: null };
  bodies.add(body);
  const count = (bytes: number): void => {
    hold(body, bytes);
    makeRoom();
  };
  const onData = (chunk: Buffer): void => count(chunk.length);
  const forget = (): void => {
    req.off('data', onData);
    hold(body, -body.bytes);
    bodies.delete(body);
  };
  onLeave(res, forget);
  req.once('end', () => (body.giveUp = null));
  return new Promise((_, reject) => {
    body.giveUp = () => {
      forget();
      res.shouldKeepAlive = false;
      reject(new AppError('unavailable', 'Too many requests are in progress; retry later'));
    };
    if (isPacked) count(MAX_BODY_BYTES);
    else req.on('data', onData);
  });
}

/** As JSON, 2 MB of empty arrays are 40 MB of objects. Larger bodies are rare: an array has at most 500 entries. */
const LARGE_BODY = 200_000;
const LARGE = {
  weight: MAX_BODY_BYTES,
  perStore: 4 * MAX_BODY_BYTES,
  perCaller: 4 * MAX_BODY_BYTES,
  waitMs: 20_000,
  maxWaiting: 200,
};
/** One address sends only a few large bodies at a time, however slowly; complete ones are processed in turn. */
const reading = createFairQueue({ ...LARGE, capacity: Infinity });
const working = createFairQueue({ ...LARGE, capacity: 12 * MAX_BODY_BYTES });

function takeTicket(queue: FairQueue, req: Request, res: Response): Ticket {
  const address = addressGroup(req.ip ?? '');
  const ticket = queue.enter({ store: address, caller: address });
  onLeave(res, ticket.release);
  return ticket;
}

/** Serves other requests before the next large body, because processing one takes long. */
const nextTurn = createTurns();

function parseRaw(req: Request, res: Response): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    readRaw(req, res, (error?: unknown) => {
      if (error) reject(bodyFailure(error));
      else resolve(Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0));
    });
  });
}

export async function readBody(req: Request, res: Response): Promise<Buffer> {
  const isPacked = req.headers['content-encoding'] !== undefined;
  const size = Number(req.headers['content-length'] ?? (req.headers['transfer-encoding'] ? Infinity : 0));
  if (size <= MEMORY.uncounted && !isPacked) return parseRaw(req, res);
  const ticket = size > LARGE_BODY || isPacked ? takeTicket(reading, req, res) : null;
  await ticket?.admitted;
  const body = await Promise.race([parseRaw(req, res), countBody(req, res, isPacked)]);
  ticket?.release();
  if (body.length <= LARGE_BODY) return body;
  await takeTicket(working, req, res).admitted;
  await nextTurn();
  return body;
}

/** Strips a byte order mark; throws `invalid-request` unless the body is UTF-8. */
export function decodeText(bytes: Buffer): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return fail('invalid-request', 'The body is not valid UTF-8');
  }
}

/** Accepts JSON only: a page of another origin cannot send it without a preflight. */
export async function readJsonBody(req: Request, res: Response): Promise<unknown> {
  if (!req.is('application/json')) fail('unsupported-content-type', 'Send the body as application/json');
  return parseJsonBody(decodeText(await readBody(req, res)));
}

export function parseJsonBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('invalid-request', 'The body is not JSON');
  }
}

/** An empty body needs no content type. */
export async function readFormBody(req: Request, res: Response): Promise<string> {
  const contentType = req.headers['content-type'];
  const refuse = (): never =>
    fail('unsupported-content-type', 'Send the body as application/x-www-form-urlencoded');
  if (contentType !== undefined && !FORM_TYPE.test(contentType)) refuse();
  const bytes = await readBody(req, res);
  if (bytes.length > 0 && contentType === undefined) refuse();
  return decodeText(bytes);
}

function decode(text: string): string {
  // Most names and values need no decoding.
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return fail('invalid-request', 'The body or query has a malformed percent-encoding');
  }
}

/** No call has more than a dozen fields; a body with half a million must not block the process. */
const MAX_FIELDS = 1_000;

/**
 * Reads `a=1&b=2`; a field sent twice or a broken percent-encoding is `invalid-request`. `bodyParser.urlencoded` makes an array of the one and
 * accepts the other.
 */
export function parseUrlEncoded(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  const pairs = text.split('&', MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS)
    fail('invalid-request', `A body or query must not have more than ${MAX_FIELDS} fields`);
  for (const pair of pairs) {
    if (pair === '') continue;
    const end = pair.indexOf('=');
    const name = decode(end < 0 ? pair : pair.slice(0, end));
    if (fields.has(name)) fail('invalid-request', `The field ${name.slice(0, 50)} was sent more than once`);
    fields.set(name, end < 0 ? '' : decode(pair.slice(end + 1)));
  }
  return fields;
}
