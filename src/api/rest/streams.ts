import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { StreamType } from '../../platform/route/route.ts';
import type { Context } from '../../context.ts';
import { streamAlerts } from '../../alerts/events/alert-log.service.ts';
import { streamProducts } from '../../stores/catalogue/product-search.service.ts';
import { streamMailingList } from '../../shoppers/contacts/mailing-list.service.ts';
import { streamExport } from '../../shoppers/privacy/privacy.service.ts';
import { streamRevenue } from '../../stores/revenue/revenue.service.ts';
import { streamShoppers } from '../../shoppers/shopper.service.ts';

/** Makes an answer piece by piece; it fails before the first piece or not at all. */
type Stream = (ctx: Context, variables: Record<string, unknown>) => Promise<AsyncIterable<string>>;

/** The calls whose answer is written piece by piece, whatever its size; their rows of the table say the type. */
export const streams: Record<string, Stream> = {
  'POST /storeadmin/v3/user/export': streamExport,
  'GET /storeadmin/v3/mailinglist.csv': streamMailingList,
  'GET /storeadmin/v3/products.csv': streamProducts,
  'GET /storeadmin/v3/shoppers.csv': streamShoppers,
  'GET /storeadmin/v3/alerts.csv': streamAlerts,
  'GET /storeadmin/v3/revenue.csv': streamRevenue,
};

/** A reader who takes nothing for so long is gone. */
const STALL_MS = 60_000;

/** Writes the pieces as the reader takes them; a reader that leaves ends the work. */
export async function sendPieces(
  res: Response,
  type: StreamType,
  pieces: AsyncIterable<string>,
): Promise<void> {
  // A browser keeps it as a file.
  if (type === 'text/csv') res.attachment(res.req.path.split('/').pop());
  res.setHeader('Content-Type', `${type}; charset=utf-8`);
  res.setTimeout(STALL_MS, () => res.destroy());
  try {
    await pipeline(Readable.from(pieces), res);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
