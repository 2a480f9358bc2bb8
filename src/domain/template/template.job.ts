import { Script, createContext } from 'node:vm';
import { toLine } from '../../shared/text.ts';
import type { TextForm, WayOut } from '../../channel/channel.ts';
import type { AlertTexts, Part } from '../../channel/channels.ts';
import { htmlWithFooter, textWithFooter } from '../../channel/footer.ts';
import { renderTemplate } from './template.engine.ts';
import type { AlertModel } from './template.rules.ts';

/** A message to render: some parts of its texts, for one product and contact. */
export type RenderJob = {
  texts: Partial<AlertTexts>;
  parts: readonly Part[];
  /** How each part leaves; said with the job, because the table of channels is more than this process should load. */
  forms: Record<Part, TextForm>;
  model: AlertModel;
  /** Whether the parsed templates are kept for the next message. */
  isKept: boolean;
};

/** What became of a job. `isStuck` says that it had to be interrupted. */
export type RenderAnswer = { texts: Partial<AlertTexts> } | { part: Part; reason: string; isStuck: boolean };

/**
 * What became of a batch, and what it took of a processor's time; answers may be missing at the end. `isStalled` says that the machine stood still, so
 * that a job was interrupted which is not to blame.
 */
export type BatchAnswer = { answers: RenderAnswer[]; tookMs: number; isStalled: boolean };

/** For all parts of one message. A usual one takes a fifth of a millisecond. */
const RENDER_MS = 250;
/** The library looks at its clock now and then; where it does not, the engine stops it. */
const STUCK_MS = 4 * RENDER_MS;

const MAX_SUBJECT = 200;
// eslint-disable-next-line no-control-regex -- all of them but tab and line feed
const CONTROL_IN_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]+/g;

function wayOutOf({ store, unsubscribe_url: url }: AlertModel): WayOut {
  return { why: `You asked ${store.name} to tell you about this product.`, url };
}

/** What makes a rendered text ready: a subject is one line, and every message can be left. HTML output is escaped by the engine. */
const FINISH: Record<TextForm, (text: string, model: AlertModel) => string> = {
  line: (text, { store }) => [...toLine(text)].slice(0, MAX_SUBJECT).join('') || toLine(store.name),
  html: (html, model) => htmlWithFooter(html, wayOutOf(model)),
  text: (text, model) => textWithFooter(text.replace(CONTROL_IN_TEXT, ''), wayOutOf(model)),
  short: (text, { unsubscribe_url: url }) => {
    const short = text.replace(CONTROL_IN_TEXT, '').trim();
    return short.includes(url) ? short : `${short} Stop: ${url}`;
  },
};

const sandbox = createContext({ run: () => undefined });
const RUN = new Script('run()');

/** Runs a function that is stopped wherever it is when its time is over. */
function runWithin(timeoutMs: number, run: () => unknown): void {
  Object.assign(sandbox, { run });
  RUN.runInContext(sandbox, { timeout: timeoutMs });
}

/**
 * Renders a message; says before each part which one it is. Null where it was interrupted before it had its share of a processor: nobody knows what
 * would have come of it.
 */
export function runJob(
  { texts, parts, forms, model, isKept }: RenderJob,
  tell: (part: Part) => void = () => undefined,
): RenderAnswer | null {
  const end = performance.now() + RENDER_MS;
  const rendered: Partial<AlertTexts> = {};
  let current = parts[0]!;
  try {
    runWithin(STUCK_MS, () => {
      for (const part of parts) {
        tell((current = part));
        // A copy, because `increment` writes into it.
        const text = renderTemplate(
          forms[part] === 'html' ? 'html' : 'plain',
          texts[part]!,
          { ...model },
          { end, isKept },
        );
        rendered[part] = FINISH[forms[part]](text, model);
        if (performance.now() > end) throw new Error('template render limit exceeded');
      }
    });
    return { texts: rendered };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isStuck = code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    if (isStuck && performance.now() <= end) return null;
    return { part: current, reason: isStuck ? 'it takes too long' : message, isStuck };
  }
}
