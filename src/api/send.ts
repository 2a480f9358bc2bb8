import type { Request, Response } from 'express';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

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

/** How a body may be packed on its way, best first. */
const ENCODINGS = ['br', 'gzip'] as const;

/** A way of packing, as HTTP calls it. */
export type Encoding = (typeof ENCODINGS)[number];

/** A body and the packed forms that were asked for, each made once. */
export type Body = {
  readonly plain: Buffer;
  readonly packed: Map<Encoding, Buffer | null>;
  /** Whether it is sent so often that packing it well is worth the time. */
  readonly isLasting: boolean;
};

/** Shorter bodies fit into a packet or two as they are. */
const WORTH_PACKING = 1_024;
/** A packed form that saves less is not kept: all forms of a body together take at most twice what it takes itself. */
const MAX_PACKED_SHARE = 0.5;

const brotli = promisify(brotliCompress);
const packers: Record<Encoding, (body: Body) => Promise<Buffer>> = {
  // Level 4 takes a list of ten items (6.5 kB) to 20 % in 0.3 ms; 11, the default, to 19 % in 17 ms. A script of 1.4 MB is 10 % smaller by
  // level 9 than by 4, in half a second.
  br: ({ plain, isLasting }) =>
    brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: isLasting ? 9 : 4 } }),
  gzip: ({ plain }) => promisify<Buffer, Buffer>(gzip)(plain),
};

/** A body that nobody has asked for yet. */
export function newBody(plain: Buffer, isLasting = false): Body {
  return { plain, packed: new Map(), isLasting };
}

/** What an Accept-Encoding header lets us send; null is the plain form. */
export function encodingFor(header: string | undefined): Encoding | null {
  if (header === undefined) return null;
  const wanted = header.toLowerCase().split(',');
  const accepts = (name: Encoding): boolean =>
    wanted.some((part) => {
      const [token = '', ...params] = part.split(';').map((text) => text.trim());
      return token === name && !params.some((param) => /^q=0(\.0*)?$/.test(param));
    });
  return ENCODINGS.find(accepts) ?? null;
}

/** Whether a body is sent packed to those who ask for it. */
export function isWorthPacking({ plain }: Body): boolean {
  return plain.length > WORTH_PACKING;
}

/** The packed form of a body, made at the first call; null where packing saves too little. */
export async function pack(body: Body, encoding: Encoding): Promise<Buffer | null> {
  const known = body.packed.get(encoding);
  if (known !== undefined) return known;
  const packed = await packers[encoding](body);
  const form = packed.length <= body.plain.length * MAX_PACKED_SHARE ? packed : null;
  body.packed.set(encoding, form);
  return form;
}

/** A response as it was sent. Its headers are made again each time. */
export type CallResponse = {
  body: Body;
  type: string;
  /** What the access log says of it. */
  operation: string | undefined;
};
