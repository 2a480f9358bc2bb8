import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const HEADER = 'x-request-id';
const ACCEPTABLE = /^[\w.:-]{1,128}$/;

/** Takes the caller's x-request-id where it is harmless, else makes one, and returns it with the answer. */
export function assignRequestId(req: Request, res: Response, next: NextFunction): void {
  const given = req.headers[HEADER];
  res.setHeader(HEADER, typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID());
  next();
}

/** The id that `assignRequestId` gave this request. */
export function requestIdOf(res: Response): string {
  return String(res.getHeader(HEADER));
}
