import {
  Context,
  Liquid,
  TokenKind,
  Tokenizer,
  defaultOperators,
  evalTokenValue,
  toValue,
  toValueSync,
} from 'liquidjs';
import type { Emitter, FilterImplOptions, LiquidOptions, Operators, Template } from 'liquidjs';
import { LRUCache } from 'lru-cache';
import { formatMoney } from '../../platform/money.ts';
import type { MoneyStyle } from '../../platform/money.ts';
import { shorten } from '../../platform/text.ts';

/** A search costs the product of both lengths and cannot be interrupted. */
const MAX_PATTERN = 1_000;
/** Each letter of a date format can cost as much as a small template. */
const MAX_DATE_FORMAT = 200;
/** Beyond the safe integers a number has no successor, so a range would never end. */
const MAX_BOUND = 100_000;

function checkLength(text: unknown, most: number, what: string): void {
  if (String(toValue(text) ?? '').length > most)
    throw new Error(`${what} must have at most ${most} characters`);
}

const OPERATORS: Operators = {
  ...defaultOperators,
  contains: (list: unknown, entry: unknown, ctx) => {
    if (typeof toValue(list) === 'string') checkLength(entry, MAX_PATTERN, 'the search term');
    return defaultOperators['contains']!(list, entry, ctx);
  },
};

// Stores write the templates. LiquidJS checks its clock only between tags, so values, filter results and output share one limit.
const LIMITS: LiquidOptions = {
  strictFilters: true,
  ownPropertyOnly: true,
  templates: {},
  parseLimit: 100_000,
  memoryLimit: 250_000,
  operators: OPERATORS,
};

function boundOf(value: unknown): number {
  const bound = Number(value ?? 0);
  if (Number.isInteger(bound) && Math.abs(bound) <= MAX_BOUND) return bound;
  throw new Error(`the bounds of a range must be whole numbers up to ${MAX_BOUND}`);
}

// LiquidJS checks only the distance between the two bounds and has no other hook for ranges.
// oxlint-disable-next-line typescript/unbound-method -- it is called with the tokenizer
const { readGroupOrRange } = Tokenizer.prototype;
Tokenizer.prototype.readGroupOrRange = function () {
  const token = readGroupOrRange.call(this);
  if (token === undefined || !('lhs' in token)) return token;
  const { lhs, rhs } = token;
  // A literal bound is rejected when the template is saved, even in a branch that does not run then.
  for (const bound of [lhs, rhs]) if ('content' in bound) boundOf(toValue(bound.content));
  const initial = {
    *evaluate(ctx: Context): Generator<unknown, number[]> {
      const low = boundOf(yield evalTokenValue(lhs, ctx));
      const length = Math.max(0, boundOf(yield evalTokenValue(rhs, ctx)) - low + 1);
      ctx.memoryLimit.use(length);
      return Array.from({ length }, (_, index) => low + index);
    },
  };
  return Object.assign(token, { kind: TokenKind.FilteredValue, initial, filters: [] });
};

/** Filters for lists of records are missing, because they nest lists and run expressions, and a template has no records. */
const FILTERS = new Set(
  `abs append at_least at_most capitalize ceil date default divided_by downcase escape escape_once first floor join json last lstrip
  minus modulo newline_to_br normalize_whitespace plus prepend raw remove remove_first remove_last replace replace_first replace_last
  reverse round rstrip size slice split strip strip_html strip_newlines times truncate truncatewords upcase url_decode url_encode`.split(
    /\s+/,
  ),
);

function sizeOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0;
}

const SEARCHING = new Set(
  'remove remove_first remove_last replace replace_first replace_last split'.split(' '),
);

/** Counts the filter's result against the limit. `raw` does not bypass escaping: product titles come from third parties. */
function counted(name: string, filter: FilterImplOptions): FilterImplOptions {
  const handler = typeof filter === 'function' ? filter : filter.handler;
  return function (...args) {
    if (SEARCHING.has(name)) checkLength(args[1], MAX_PATTERN, `the search term of ${name}`);
    if (name === 'date') checkLength(args[1], MAX_DATE_FORMAT, 'the date format');
    const result: unknown = handler.apply(this, args);
    this.context.memoryLimit.use(sizeOf(result));
    return result;
  };
}

/** Prices use the store's currency and locale, even if a template assigns other values. */
function moneyStyleOf({ environments }: Context): MoneyStyle {
  const { store } = environments as { store?: Partial<MoneyStyle> };
  return { currency: store?.currency || null, locale: store?.locale ?? 'en' };
}

const OWN_FILTERS: Record<string, FilterImplOptions> = {
  money(amount: unknown) {
    const isAmount = typeof amount === 'number' || (typeof amount === 'string' && amount.trim() !== '');
    return isAmount && Number.isFinite(Number(amount))
      ? formatMoney(Number(amount), moneyStyleOf(this.context))
      : toText(amount);
  },
  shorten(text: unknown, most: unknown = 60) {
    return shorten(toText(text), Math.max(1, Math.floor(Number(most)) || 60));
  },
};

/** Disabled, because a template has no other files to read. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'];

function createEngine(options: LiquidOptions = {}): Liquid {
  const engine = new Liquid({ ...LIMITS, ...options });
  for (const [name, filter] of Object.entries(engine.filters)) {
    if (FILTERS.has(name)) engine.registerFilter(name, counted(name, filter));
    else delete engine.filters[name];
  }
  for (const [name, filter] of Object.entries(OWN_FILTERS))
    engine.registerFilter(name, counted(name, filter));
  for (const name of FILE_TAGS) delete engine.tags[name];
  return engine;
}

const ENGINES = { plain: createEngine(), html: createEngine({ outputEscape: 'escape' }) };

// A parsed template takes about 200 times its length, so the cache holds at most 40 MB.
const parsed = new LRUCache<string, Template[]>({
  maxSize: 200_000,
  sizeCalculation: (_templates, key) => key.length,
});

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join('');
  return String(toValue(value) ?? '');
}

function outputOf({ memoryLimit }: Context): Emitter {
  return {
    buffer: '',
    write(value: unknown) {
      const text = toText(value);
      memoryLimit.use(text.length);
      this.buffer += text;
    },
  };
}

/** Throws if the template does not parse or exceeds a limit. `end` is a time on the `performance` clock. */
export function renderTemplate(
  kind: keyof typeof ENGINES,
  source: string,
  model: object,
  { end, isKept }: { end: number; isKept: boolean },
): string {
  const engine = ENGINES[kind];
  const key = `${kind}:${source}`;
  const templates = parsed.get(key) ?? engine.parse(source);
  if (isKept) parsed.set(key, templates);
  const context = new Context(
    model,
    engine.options,
    { sync: true, renderLimit: end - performance.now() },
    { liquid: engine },
  );
  const read = context._get.bind(context);
  context._get = function* (path) {
    const value: unknown = yield read(path);
    context.renderLimit.check(performance.now());
    context.memoryLimit.use(sizeOf(value));
    return value;
  };
  const output = outputOf(context);
  toValueSync(engine.renderer.renderTemplates(templates, context, output));
  return output.buffer;
}
