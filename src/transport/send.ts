import type { Response } from 'express';
import type { Context } from '../context.ts';
import { stringifyAnswer } from '../shared/answer.ts';

/** A reader who takes nothing for so long is gone. */
const STALL_MS = 15_000;
/** Slower readers than this hold up memory for nothing. */
const MIN_BYTES_A_SECOND = 32_000;
/** The system's own buffers take less than this at once. */
const LARGE_TEXT = 64_000;

/** Hands an answer to its reader, who has to take it: a process holds only so much that nobody reads. */
export function sendText(res: Response, text: string): void {
  if (res.destroyed) return;
  if (text.length <= LARGE_TEXT) return void res.end(text);
  const body = Buffer.from(text);
  const cut = (): void => void res.destroy();
  res.setTimeout(STALL_MS, cut);
  const limit = setTimeout(cut, STALL_MS + (body.length / MIN_BYTES_A_SECOND) * 1_000);
  res.once('close', () => clearTimeout(limit));
  res.end(body);
}

/** Answers a REST call, within the request's budget. */
export async function sendAnswer(res: Response, { budget }: Context, value: unknown): Promise<void> {
  await budget.answer(value);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  sendText(res, stringifyAnswer(value));
}
