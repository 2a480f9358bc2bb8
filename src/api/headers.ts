import type { NextFunction, Request, Response } from 'express';

/**
 * Sets what every answer carries: browsers take its type as it is, show it in no frame, and no cache keeps it, because
 * most answers belong to one shopper. A page or script that may be kept says so itself.
 */
export function setCommonHeaders(_req: Request, res: Response, next: NextFunction): void {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cache-Control', 'no-store');
  next();
}
