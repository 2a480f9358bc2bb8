import { LRUCache } from 'lru-cache';
import { PARTS, PART_NAMES } from '../send/channels.ts';
import type { AlertTexts, Part } from '../send/channels.ts';
import { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { startRenderProcess } from './template.child.ts';
import type { RenderProcess } from './template.child.ts';
import { withStencils } from './template.stencil.ts';
import type { BatchAnswer, JoinJob, RenderAnswer, RenderJob } from './template.job.ts';
import type { RenderBudget, Renderer } from './template.types.ts';

export type { RenderBudget } from './template.types.ts';

/** A template that cannot be rendered; the text names the part and, where it is known, the place. */
export class TemplateError extends AppError {
  /** Whether rendering it had to be ended: it must not be tried often. */
  readonly isFatal: boolean;

  constructor(part: Part, reason: string, isFatal: boolean) {
    super('invalid-request', `${part} is not a valid template: ${reason}`);
    this.isFatal = isFatal;
  }
}

/** What the templates of one request may take. A usual message takes less than a millisecond. */
export const RENDER_BUDGET_MS = 500;

type Task = {
  pid: string;
  job: RenderJob | JoinJob;
  budget: RenderBudget | undefined;
  /** How often a process ended before it could be said who was to blame; such a task runs alone. */
  losses: number;
  resolve: (texts: Partial<AlertTexts>) => void;
  reject: (error: AppError) => void;
};

const FORMS = Object.fromEntries(PART_NAMES.map((part) => [part, PARTS[part].form])) as RenderJob['forms'];

const MAX_LOSSES = 2;
/** A template that ended a process is not tried again by this service for so long. */
export const REFUSED_MS = 60_000;

function keyOf(job: RenderJob | JoinJob): string {
  if ('digest' in job) return JSON.stringify(job.digest);
  const { texts, parts } = job;
  return parts.map((part) => texts[part]).join('\u0000');
}

function busy(): AppError {
  return new AppError('unavailable', 'Templates cannot be rendered now; retry later', { 'Retry-After': '1' });
}

type Options = {
  /** Messages that are handed over together. */
  batchSize: number;
  /** Messages of one store that may wait, and for how long. */
  maxWaiting: number;
  waitMs: number;
  /** Whether templates stay parsed for the next message. */
  isKept: boolean;
  start: () => RenderProcess;
};

/** The process is started for the first message and stays warm. */
function createRenderer(log: Logger, { batchSize, maxWaiting, waitMs, isKept, start }: Options): Renderer {
  const waiting = new Map<string, Task[]>();
  const known = new LRUCache<string, TemplateError>({ max: 1_000, ttl: REFUSED_MS });
  let child: RenderProcess | null = null;
  let isWorking = false;
  let isClosed = false;

  const putBack = (task: Task): void => {
    waiting.set(task.pid, [task, ...(waiting.get(task.pid) ?? [])]);
  };

  const refusalOf = ({ job, budget }: Task): AppError | undefined => {
    if (isClosed) return busy();
    if (budget && budget.leftMs <= 0)
      return new AppError(
        'limit-reached',
        'The templates of one request have half a second together; send fewer',
      );
    return known.size > 0 ? known.get(keyOf(job)) : undefined;
  };

  /** The next messages, one of each store before the second of any. */
  const take = (): Task[] => {
    const batch: Task[] = [];
    for (const [pid] of waiting) {
      if (batch.length === batchSize) break;
      const [task, ...rest] = waiting.get(pid)!;
      waiting.delete(pid);
      if (rest.length > 0) waiting.set(pid, rest);
      const refusal = refusalOf(task!);
      if (refusal) task!.reject(refusal);
      else if (task!.losses === 0) batch.push(task!);
      else if (batch.length === 0) return [task!];
      else {
        putBack(task!);
        break;
      }
    }
    return batch;
  };

  const settle = (task: Task, answer: RenderAnswer): void => {
    if ('texts' in answer) return task.resolve(answer.texts);
    const error = new TemplateError(answer.part, answer.reason, answer.isStuck);
    if (error.isFatal) {
      log.warn({ store: task.pid, reason: error.message }, 'a template ended the process that rendered it');
      known.set(keyOf(task.job), error);
    }
    task.reject(error);
  };

  const lose = (task: Task): void => {
    task.losses += 1;
    if (task.losses > MAX_LOSSES) task.reject(busy());
    else putBack(task);
  };

  const endChild = (): void => {
    child?.end();
    child = null;
  };

  const conclude = (batch: Task[], { answers, tookMs, isStalled }: BatchAnswer): void => {
    if (batch[0]!.budget) batch[0]!.budget.leftMs -= tookMs;
    if (isStalled || answers.some((answer) => 'isStuck' in answer && answer.isStuck)) endChild();
    const [next, ...others] = batch.slice(answers.length);
    others.reverse().forEach(putBack);
    if (next) (isStalled ? lose : putBack)(next);
    answers.forEach((answer, index) => settle(batch[index]!, answer));
  };

  const run = async (batch: Task[]): Promise<void> => {
    if (!child?.isAlive()) child = start();
    const end = await child.run(batch.map(({ job }) => job));
    if (isClosed) return batch.forEach((task) => task.reject(busy()));
    if ('answers' in end) return conclude(batch, end);
    endChild();
    const [first] = batch;
    // A machine that stands still looks the same, and one alert speaks for all of a restock: it is blamed for the second process only.
    const isUnclear = batch.length > 1 || (first!.losses === 0 && !first!.budget);
    if (end.part === null || isUnclear) return batch.reverse().forEach(lose);
    if (first!.budget) first!.budget.leftMs = 0;
    settle(first!, { part: end.part, reason: 'it takes too much time or memory', isStuck: true });
  };

  const work = async (): Promise<void> => {
    if (isWorking) return;
    isWorking = true;
    while (waiting.size > 0) {
      const batch = take();
      if (batch.length > 0) await run(batch);
    }
    isWorking = false;
  };

  const giveUp = (task: Task): void => {
    const tasks = waiting.get(task.pid) ?? [];
    if (!tasks.includes(task)) return;
    const others = tasks.filter((other) => other !== task);
    if (others.length > 0) waiting.set(task.pid, others);
    else waiting.delete(task.pid);
    task.reject(busy());
  };

  const queue = (pid: string, job: Task['job'], budget?: RenderBudget): Promise<Partial<AlertTexts>> => {
    const tasks = waiting.get(pid) ?? [];
    if (isClosed || tasks.length >= maxWaiting) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const task: Task = { pid, job, budget, losses: 0, resolve, reject };
      waiting.set(pid, [...tasks, task]);
      if (waitMs < Infinity) setTimeout(giveUp, waitMs, task).unref();
      void work();
    });
  };

  return {
    render: ({ pid, budget, ...message }) =>
      queue(pid, { ...message, forms: FORMS, isKept }, budget) as Promise<AlertTexts>,
    join: ({ pid, ...message }) => queue(pid, { ...message, forms: FORMS }) as Promise<AlertTexts>,
    close: () => {
      isClosed = true;
      child?.end();
    },
  };
}

/** A preview that has not begun by then is refused. */
const MAX_TRIAL_WAIT_MS = 10_000;

/** Where templates are rendered: alerts that leave do not wait behind the previews of a store that tries something. */
export type Templates = { alerts: Renderer; trials: Renderer; close: () => void };

/** No process is started before the first message. */
export function createTemplates(log: Logger, start: () => RenderProcess = startRenderProcess): Templates {
  const alerts = withStencils(
    createRenderer(log, { batchSize: 16, maxWaiting: Infinity, waitMs: Infinity, isKept: true, start }),
  );
  const trials = createRenderer(log, {
    batchSize: 1,
    maxWaiting: 100,
    waitMs: MAX_TRIAL_WAIT_MS,
    isKept: false,
    start,
  });
  return {
    alerts,
    trials,
    close: () => {
      alerts.close();
      trials.close();
    },
  };
}
