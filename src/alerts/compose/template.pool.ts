import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { PARTS, PART_NAMES } from '../send/channels.ts';
import type { AlertTexts, Part } from '../send/channels.ts';
import { startRenderProcess } from './template.child.ts';
import type { RenderProcess } from './template.child.ts';
import type { Digest, JoinJob, RenderJob, RenderResult } from './template.job.ts';

export type RenderBudget = { leftMs: number };

type Message = { pid: string; parts: readonly Part[] };
type RenderRequest = Message &
  Pick<RenderJob, 'texts' | 'model' | 'footer' | 'isBare'> & { budget?: RenderBudget };

type Renderer = {
  /** Rejects with a `TemplateError` if the template is to blame. */
  render(request: RenderRequest): Promise<Partial<AlertTexts>>;
  join(request: Message & { digest: Digest }): Promise<Partial<AlertTexts>>;
  close(): void;
};

/** The message names the part and, if known, the position. */
export class TemplateError extends AppError {
  /** Whether the process had to be killed, so that the template must not be retried often. */
  readonly isFatal: boolean;

  constructor(part: Part, reason: string, isFatal: boolean) {
    super('invalid-request', `${part} is not a valid template: ${reason}`);
    this.isFatal = isFatal;
  }
}

/** The processor time for all templates of one request. A typical message takes less than a millisecond. */
export const RENDER_BUDGET_MS = 500;

const OVER_BUDGET = 'The templates of one request may take half a second to render; send fewer';

type Task = {
  pid: string;
  job: RenderJob | JoinJob;
  budget: RenderBudget | undefined;
  /** The number of processes that died while rendering this task. */
  losses: number;
  resolve: (texts: Partial<AlertTexts>) => void;
  reject: (error: AppError) => void;
};

const FORMS = Object.fromEntries(PART_NAMES.map((part) => [part, PARTS[part].form])) as RenderJob['forms'];

const MAX_LOSSES = 2;
/** A template that killed a process is rejected for this long. */
export const REFUSED_MS = 60_000;

function keyOf(job: RenderJob | JoinJob): string {
  if ('digest' in job) return JSON.stringify(job.digest);
  const { texts, parts } = job;
  return parts.map((part) => texts[part]).join('\u0000');
}

function busy(): AppError {
  return new AppError('unavailable', 'Templates cannot be rendered at the moment; retry later', {
    'Retry-After': '1',
  });
}

/** `maxWaiting` limits the queue of each store, `waitMs` the time in it. */
const ALERTS = { maxWaiting: Infinity, waitMs: Infinity, isKept: true };
const TRIALS = { maxWaiting: 100, waitMs: 10_000, isKept: false };

/** Renders in one process, which starts with the first message and stays warm; stores are scheduled round-robin. */
function createRenderer(
  log: Logger,
  start: () => RenderProcess,
  { maxWaiting, waitMs, isKept }: typeof ALERTS,
): Renderer {
  const waiting = new Map<string, Task[]>();
  const refused = new LRUCache<string, TemplateError>({ max: 1_000, ttl: REFUSED_MS });
  let child: RenderProcess | null = null;
  let isWorking = false;
  let isClosed = false;

  const refusalOf = ({ job, budget }: Task): AppError | undefined => {
    if (isClosed) return busy();
    if (budget && budget.leftMs <= 0) return new AppError('limit-reached', OVER_BUDGET);
    return refused.size > 0 ? refused.get(keyOf(job)) : undefined;
  };

  const finish = (task: Task, result: RenderResult): void => {
    if ('texts' in result) return task.resolve(result.texts);
    const error = new TemplateError(result.part, result.reason, result.isStuck);
    if (error.isFatal) {
      log.warn({ store: task.pid, reason: error.message }, 'A template crashed its rendering process');
      refused.set(keyOf(task.job), error);
    }
    task.reject(error);
  };

  const tryAgain = (task: Task): void => {
    task.losses += 1;
    if (task.losses > MAX_LOSSES) task.reject(busy());
    else waiting.set(task.pid, [task, ...(waiting.get(task.pid) ?? [])]);
  };

  const endChild = (): void => {
    child?.end();
    child = null;
  };

  const run = async (task: Task): Promise<void> => {
    const refusal = refusalOf(task);
    if (refusal) return task.reject(refusal);
    if (!child?.isAlive()) child = start();
    const end = await child.run(task.job);
    if (isClosed) return task.reject(busy());
    if ('result' in end) {
      const { result, tookMs } = end;
      if (task.budget) task.budget.leftMs -= tookMs;
      if (result === null || ('isStuck' in result && result.isStuck)) endChild();
      return result === null ? tryAgain(task) : finish(task, result);
    }
    endChild();
    // A stalled machine looks the same, so an alert is blamed only for the second process.
    if (end.part === null || (task.losses === 0 && !task.budget)) return tryAgain(task);
    if (task.budget) task.budget.leftMs = 0;
    finish(task, { part: end.part, reason: 'rendering takes too much time or memory', isStuck: true });
  };

  const work = async (): Promise<void> => {
    if (isWorking) return;
    isWorking = true;
    for (const [pid, tasks] of waiting) {
      const task = tasks.shift()!;
      // The store moves to the end, so that every other store comes first.
      waiting.delete(pid);
      if (tasks.length > 0) waiting.set(pid, tasks);
      await run(task);
    }
    isWorking = false;
  };

  const giveUp = (task: Task): void => {
    const tasks = waiting.get(task.pid) ?? [];
    if (!tasks.includes(task)) return;
    tasks.splice(tasks.indexOf(task), 1);
    if (tasks.length === 0) waiting.delete(task.pid);
    task.reject(busy());
  };

  const queue = (pid: string, job: Task['job'], budget?: RenderBudget): Promise<Partial<AlertTexts>> => {
    const tasks = waiting.get(pid) ?? [];
    if (isClosed || tasks.length >= maxWaiting) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const task: Task = { pid, job, budget, losses: 0, resolve, reject };
      tasks.push(task);
      waiting.set(pid, tasks);
      if (waitMs < Infinity) setTimeout(giveUp, waitMs, task).unref();
      void work();
    });
  };

  return {
    render: ({ pid, budget, ...message }) => queue(pid, { ...message, forms: FORMS, isKept }, budget),
    join: ({ pid, ...message }) => queue(pid, { ...message, forms: FORMS }),
    close: () => {
      isClosed = true;
      child?.end();
    },
  };
}

// Alerts of one event differ only in the token: a message is rendered once with a placeholder, 10 µs a message instead of 900.

/** The placeholder for a token is a prefix of this. It is random, so that no text contains it. */
const MARKS = randomBytes(48).toString('base64url');
const MIN_MARK = 20;
const MAX_KEPT = 64;

const BARE_LINK = /\{\{-?\s*unsubscribe_url\s*-?\}\}/g;
/** Matches constructs that can read the link without naming it or that depend on the time. */
const INDIRECT = /(?<!<!(?:--)?)\[|\|\s*date\b/;

/** Whether a text is the same for all contacts except for the bare link; false in doubt. A subject can be cut within a link. */
function isSame(text: string, part: Part): boolean {
  const rest = text.replace(BARE_LINK, '');
  if (rest.includes('unsubscribe_url') || INDIRECT.test(rest)) return false;
  return rest.length === text.length || (PARTS[part].form !== 'line' && !rest.includes('capture'));
}

function withStencils(renderer: Renderer): Renderer {
  const kept = new LRUCache<string, Promise<Partial<AlertTexts>>>({ max: MAX_KEPT });
  return {
    ...renderer,
    async render(request) {
      const { texts, parts, footer, isBare = false } = request;
      const end = request.model.unsubscribe_url.lastIndexOf('/') + 1;
      const token = request.model.unsubscribe_url.slice(end);
      // As long as the token, because the length of an SMS includes it.
      const mark = MARKS.slice(0, Math.max(token.length, MIN_MARK));
      const unsubscribe_url = request.model.unsubscribe_url.slice(0, end) + mark;
      const model = { ...request.model, unsubscribe_url };
      const key = JSON.stringify([isBare, parts.map((part) => texts[part]), model, footer]);
      let stencil = kept.get(key);
      if (stencil === undefined) {
        if (!parts.every((part) => isSame(texts[part]!, part))) return renderer.render(request);
        stencil = renderer.render({ ...request, model });
        kept.set(key, stencil);
        stencil.catch(() => kept.delete(key));
      }
      const fill = ([part, text]: [string, string]) => [part, text.replaceAll(mark, () => token)];
      return Object.fromEntries(Object.entries(await stencil).map(fill)) as Partial<AlertTexts>;
    },
  };
}

/** Alerts and previews have separate renderers, so that alerts do not wait behind a store's previews. */
export type Templates = { alerts: Renderer; trials: Renderer; close: () => void };

/** No process starts before the first message. */
export function createTemplates(log: Logger, start: () => RenderProcess = startRenderProcess): Templates {
  const alerts = withStencils(createRenderer(log, start, ALERTS));
  const trials = createRenderer(log, start, TRIALS);
  const close = (): void => [alerts, trials].forEach((renderer) => renderer.close());
  return { alerts, trials, close };
}
