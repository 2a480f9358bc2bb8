import { Context, Liquid, toValue, toValueSync } from 'liquidjs';
import type { Emitter, FilterImplOptions, LiquidOptions, Template } from 'liquidjs';
import { LRUCache } from 'lru-cache';

// Templates are written by stores and run in the process that serves all of them: they reach no file, no prototype and no more than
// a moment of our time. The library looks at its clock between two tags only, so that work inside one is bounded by what it
// touches: reading a value, a filter's result and all output count against one limit.
const LIMITS: LiquidOptions = {
  strictFilters: true,
  ownPropertyOnly: true,
  templates: {},
  parseLimit: 100_000,
  memoryLimit: 250_000,
};

/** Filters of texts and numbers. Those for lists of records nest lists and run expressions, and a template has no records. */
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

/** The filter with its result counted. `raw` is no way around the escaping: a product title is somebody else's text. */
function counted(filter: FilterImplOptions): FilterImplOptions {
  const handler = typeof filter === 'function' ? filter : filter.handler;
  return function (...args) {
    const result: unknown = handler.apply(this, args);
    this.context.memoryLimit.use(sizeOf(result));
    return result;
  };
}

function createEngine(options: LiquidOptions = {}): Liquid {
  const engine = new Liquid({ ...LIMITS, ...options });
  for (const [name, filter] of Object.entries(engine.filters)) {
    if (FILTERS.has(name)) engine.registerFilter(name, counted(filter));
    else delete engine.filters[name];
  }
  return engine;
}

const ENGINES = { plain: createEngine(), html: createEngine({ outputEscape: 'escape' }) };

/** What a template is for: output in `html` is escaped. */
export type TemplateKind = keyof typeof ENGINES;

// Parsed, a template takes some 200 times its length: 40 MB at most are kept.
const parsed = new LRUCache<string, Template[]>({
  maxSize: 200_000,
  sizeCalculation: (_templates, key) => key.length,
});

function parse(kind: TemplateKind, source: string, isKept: boolean): Template[] {
  const key = `${kind}:${source}`;
  const templates = parsed.get(key) ?? ENGINES[kind].parse(source);
  if (isKept) parsed.set(key, templates);
  return templates;
}

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

/** How a template is rendered: within this time, and kept parsed for the next time or not. */
export type RenderOptions = { limitMs: number; isKept: boolean };

/** Renders a template; throws when it does not parse or takes too much. */
export function renderTemplate(
  kind: TemplateKind,
  source: string,
  model: object,
  { limitMs, isKept }: RenderOptions,
): string {
  const engine = ENGINES[kind];
  const templates = parse(kind, source, isKept);
  const context = new Context(
    model,
    engine.options,
    { sync: true, renderLimit: limitMs },
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
