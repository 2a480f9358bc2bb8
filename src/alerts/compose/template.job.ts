import { Script, createContext } from 'node:vm';
import { shorten, toLine } from '../../platform/text.ts';
import type { Footer, FooterTexts, TextForm } from '../send/channel.ts';
import type { AlertTexts, Part } from '../send/channels.ts';
import { joinLines, joinPages, joinShort, joinTexts } from '../send/digest.ts';
import { htmlWithFooter, textWithFooter } from '../send/footer.ts';
import { excessOf, toSegment } from '../send/segment.ts';
import { renderTemplate } from './template.engine.ts';
import type { AlertModel } from './template.rules.ts';

export type RenderJob = {
  texts: Partial<AlertTexts>;
  parts: readonly Part[];
  /** Sent with the job, so that this process does not load the channels. */
  forms: Record<Part, TextForm>;
  model: AlertModel;
  footer: FooterTexts;
  isKept: boolean;
  /** Whether the texts become part of a digest, which has its own footer. */
  isBare?: boolean;
};

/** Rendered texts of several alerts that are sent as one message; the footer link covers all of them. */
export type Digest = {
  pieces: readonly Partial<AlertTexts>[];
  products: number;
  /** The subject, if those of the alerts differ. */
  title: string;
  /** What an SMS says of alerts that do not fit, with their number at `{count}`. */
  more: string;
  footer: Footer;
};

export type JoinJob = Pick<RenderJob, 'parts' | 'forms'> & { digest: Digest };

/** `isStuck` means that the job had to be interrupted. */
export type RenderResult = { texts: Partial<AlertTexts> } | { part: Part; reason: string; isStuck: boolean };

/** `result` is null if the machine stalled and the job is not to blame; `tookMs` is processor time. */
export type JobResult = { result: RenderResult | null; tookMs: number };

/** The limit for all parts of one message. A typical message takes 0.2 ms. */
const RENDER_MS = 250;
/** LiquidJS does not check its clock everywhere; V8 interrupts it after this time. */
const STUCK_MS = 4 * RENDER_MS;

const MAX_SUBJECT = 200;
// oxlint-disable-next-line no-control-regex -- all of them but tab and line feed
const CONTROL_IN_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]+/g;

/** A subject is one line, and every message has an unsubscribe link. The engine escapes HTML output. */
const FINISH: Record<TextForm, (text: string, model: AlertModel, footer: Footer) => string> = {
  line: (text, { store }) => [...toLine(text)].slice(0, MAX_SUBJECT).join('') || toLine(store.name),
  field: (text) => text.replace(CONTROL_IN_TEXT, '').trim(),
  html: (html, _model, footer) => htmlWithFooter(html, footer),
  text: (text, _model, footer) => textWithFooter(text.replace(CONTROL_IN_TEXT, ''), footer),
  short: (text, _model, { url, optOut }) => {
    const short = text.replace(CONTROL_IN_TEXT, '').trim();
    return toSegment(short.includes(url) ? short : `${short} ${optOut}: ${url}`);
  },
};

/** A title cut below this length is not recognizable. */
const MIN_TITLE = 12;
/** The maximum title length in an SMS that needs more than one segment anyway. */
const MAX_TITLE = 60;

/** Returns a shorter title with which the text fits its limit, so that the news and the links stay; null if it already fits. */
function shorterTitle(form: TextForm, finished: string, text: string, title: string): string | null {
  if (form !== 'line' && form !== 'short') return null;
  const excess = form === 'line' ? [...toLine(text)].length - MAX_SUBJECT : excessOf(finished);
  const length = [...title].length;
  const ellipsis = form === 'line' ? '…' : '...';
  if (excess <= 0 || length <= MIN_TITLE) return null;
  const fitting = length - excess;
  return shorten(title, fitting >= MIN_TITLE ? fitting : Math.min(length, MAX_TITLE), ellipsis);
}

/** The parts of a digest get no footer of their own. */
const FINISH_BARE: typeof FINISH = {
  ...FINISH,
  html: (html) => html,
  text: (text) => text.replace(CONTROL_IN_TEXT, ''),
  short: (text) => text.replace(CONTROL_IN_TEXT, '').trim(),
};

type Joined = { digest: Digest; title: string };

const JOIN: Record<TextForm, (texts: string[], joined: Joined) => string> = {
  line: (_lines, { title }) => title,
  field: ([first]) => first!,
  html: (htmls, { title, digest }) => htmlWithFooter(joinPages(htmls, title), digest.footer),
  text: (texts, { digest }) => textWithFooter(joinTexts(texts), digest.footer),
  short: (texts, { digest: { more, footer } }) => joinShort(texts, more, ` ${footer.optOut}: ${footer.url}`),
};

const sandbox = createContext({ run: () => undefined });
const RUN = new Script('run()');

/** Interrupts the function at any point once its time is over. */
function runWithin(timeoutMs: number, run: () => unknown): void {
  Object.assign(sandbox, { run });
  RUN.runInContext(sandbox, { timeout: timeoutMs });
}

function joinAll({ digest, parts, forms }: JoinJob, onPart: (part: Part) => void): Partial<AlertTexts> {
  const { pieces, products } = digest;
  const textsOf = (part: Part): string[] => pieces.map((texts) => texts[part]!);
  const line = parts.find((part) => forms[part] === 'line');
  const title = line === undefined ? '' : joinLines(textsOf(line), products, digest.title);
  const joined: Partial<AlertTexts> = {};
  for (const part of parts) {
    onPart(part);
    joined[part] = JOIN[forms[part]](textsOf(part), { digest, title });
  }
  return joined;
}

function renderAll(
  { texts, parts, forms, model: given, footer: ending, isKept, isBare }: RenderJob,
  onPart: (part: Part) => void,
  end: number,
): Partial<AlertTexts> {
  const finish = isBare ? FINISH_BARE : FINISH;
  const rendered: Partial<AlertTexts> = {};
  const footer = { ...ending, url: given.unsubscribe_url };
  const mail: Record<string, string> = { ...given.mail };
  for (const part of parts) {
    onPart(part);
    const form = forms[part];
    const model = { ...given, mail } as AlertModel;
    const render = (shown: AlertModel): string =>
      // A copy, because `increment` writes into the model.
      renderTemplate(form === 'html' ? 'html' : 'plain', texts[part]!, { ...shown }, { end, isKept });
    const text = render(model);
    const title = shorterTitle(form, finish[form](text, model, footer), text, model.product.title);
    const product = { ...model.product, title: title ?? '' };
    const finished = finish[form](title === null ? text : render({ ...model, product }), model, footer);
    // Later parts show the subject and the fields.
    if (part in mail) mail[part] = finished;
    rendered[part] = finished;
    if (performance.now() > end) throw new Error('template render limit exceeded');
  }
  return rendered;
}

/** Reports each part before it starts. Returns null if the job was interrupted before it used up its processor time. */
export function runJob(job: RenderJob | JoinJob, report?: (part: Part) => void): RenderResult | null {
  const end = performance.now() + RENDER_MS;
  let current = job.parts[0]!;
  let texts: Partial<AlertTexts> = {};
  const onPart = (part: Part): void => {
    current = part;
    report?.(part);
  };
  try {
    runWithin(STUCK_MS, () => (texts = 'digest' in job ? joinAll(job, onPart) : renderAll(job, onPart, end)));
    return { texts };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isStuck = code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    if (isStuck && performance.now() <= end) return null;
    return { part: current, reason: isStuck ? 'it takes too long' : message, isStuck };
  }
}
