import type { Request, Response } from 'express';
import type { Context } from '../context.ts';
import { METRICS } from '../platform/metrics.ts';
import { nameQuestion } from './response-cache.ts';
import type { Answer, KeptAnswers } from './response-cache.ts';
import type { Admission } from './authenticate.ts';
import { traceOf } from './access-log.ts';
import { sendAnswer } from './send.ts';
import type { Credentials } from './credentials.ts';

/** A call as a door has read it. */
export type Call = {
  /** Where it came in. */
  place: string;
  credentials: Credentials;
  /** What its answer depends on beside the caller, as it came; null where an answer cannot be the same again. */
  input: readonly string[] | null;
  /** Makes the answer; null when it is on its way already. */
  make: (ctx: Context) => Promise<Answer | null>;
};

/** Answers a call: as before where nothing has changed since, else anew. */
export type AnswerCall = (req: Request, res: Response, call: Call) => Promise<void>;

/** Makes what both doors do with a call: let it in, answer it, keep the answer. */
export function createAnswering({ admit, open }: Admission, kept: KeptAnswers): AnswerCall {
  return async (req, res, { place, credentials, input, make }) => {
    const { pid, regid, authorization, session } = credentials;
    const isRead = input !== null && req.headers['idempotency-key'] === undefined;
    const hasKey = authorization !== '' || session !== '';
    const question = isRead ? nameQuestion({ place, pid, regid, hasKey, input }) : null;
    const recalled = kept.recall(question);
    const viewer = await admit(req, res, credentials, recalled);
    const same = kept.answerFor(recalled, viewer);
    if (question !== null) METRICS.keptAnswers.inc({ result: same ? 'hit' : 'miss' });
    if (same) {
      traceOf(res).operation = same.operation;
      return sendAnswer(req, res, same);
    }
    const ctx = open(req, res, viewer, credentials);
    const answer = await make(ctx);
    if (answer === null) return;
    kept.keep(question, recalled, viewer, ctx.basis, answer);
    await sendAnswer(req, res, answer);
  };
}
