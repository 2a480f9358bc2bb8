import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { chargeResponse, isLight } from '../../platform/budget.ts';
import { fail } from '../../platform/errors.ts';
import { stringifyJson } from '../../platform/json.ts';
import { isStorePath } from '../../platform/route/route.ts';
import type { StreamType } from '../../platform/route/route.ts';
import { executeRoute, routed } from '../execute.ts';
import { newBody } from '../send.ts';
import type { CallResponse } from '../send.ts';
import type { RestCall } from './read.ts';

/** Null when the reply was streamed. */
export async function respondToRest(
  schema: GraphQLSchema,
  { route, sent }: RestCall,
  ctx: Context,
  res: Response,
): Promise<CallResponse | null> {
  if (isStorePath(route.path)) requireStore(ctx);
  const variables = route.readVariables(sent);
  if (route.stream) {
    const { type, write } = route.stream;
    await sendPieces(res, type, await write(routed(route.plan, ctx) as never, variables));
    return null;
  }
  const data = await executeRoute(schema, route, variables, ctx);
  const record = data[route.reply.field];
  if (record === null && route.missing) fail(...route.missing);
  const value: unknown = route.reply.shape.body(record as never);
  // Our own documents select nothing twice; measuring took 16 of 530 µs.
  if (!isLight(ctx.budget)) await chargeResponse(ctx.budget, value);
  return {
    body: newBody(Buffer.from(stringifyJson(value))),
    type: 'application/json; charset=utf-8',
    operation: route.plan.description,
  };
}

/** Writes a reply of any size at the reader's speed; a reader that disconnects, or stalls (`cutStalled` in http.ts), ends the work. */
async function sendPieces(res: Response, type: StreamType, pieces: AsyncIterable<string>): Promise<void> {
  if (type === 'text/csv') res.attachment(res.req.path.split('/').pop());
  res.setHeader('Content-Type', `${type}; charset=utf-8`);
  try {
    await pipeline(Readable.from(pieces), res);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
