/** What is wrong inside of a value: where, and what must stand there. */
type Fault = { path: string; rule: string };

/** Looks at a value; null when nothing is wrong with it. */
type Shape = (value: unknown) => Fault | null;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const must = (rule: string, isFine: (value: unknown) => boolean): Shape => {
  const fault = { path: '', rule: `must be ${rule}` };
  return (value) => (isFine(value) ? null : fault);
};

const text = must('a text', (value) => typeof value === 'string');
const number = must('a number', (value) => typeof value === 'number');
const flag = must('true or false', (value) => typeof value === 'boolean');
const decimal = must(
  'a decimal as text, such as "19.90"',
  (value) => typeof value === 'string' && /^-?\d{1,20}(\.\d{1,20})?$/.test(value),
);
const id = must('a number or a text', (value) => typeof value === 'number' || typeof value === 'string');
const moment = must(
  'a time: ISO 8601 text, or milliseconds since the epoch',
  (value) =>
    typeof value === 'number' ||
    (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))),
);
const anything: Shape = () => null;

function firstFault(faults: Iterable<[string, Fault | null]>): Fault | null {
  for (const [place, fault] of faults) if (fault) return { ...fault, path: place + fault.path };
  return null;
}

const list =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value)
      ? firstFault(value.map((entry, index) => [`[${index}]`, shape(entry)]))
      : { path: '', rule: 'must be an array' };

const map =
  (shapeOf: (key: string) => Shape | undefined): Shape =>
  (value) => {
    if (!isObject(value)) return { path: '', rule: 'must be an object' };
    const given = Object.entries(value).filter(([, inner]) => inner !== null);
    return firstFault(given.map(([key, inner]) => [`.${key}`, (shapeOf(key) ?? anything)(inner)]));
  };

/** An object of which these keys are known: each may be missing or null, and others are kept as they are. */
const fields = (shapes: Record<string, Shape>): Shape => {
  const known = new Map(Object.entries(shapes));
  return map((key) => known.get(key));
};

/** An object with such a value under every key. */
const each = (shape: Shape): Shape => map(() => shape);

const PLATFORM_DATA = {
  tags: list(text),
  addresses: list(anything),
  orders_count: number,
  state: text,
  accepts_marketing: flag,
  updated_at: moment,
  created_at: moment,
  total_spent: decimal,
  last_order_id: id,
};

/** What is known of the JSON that a store keeps on its shoppers. The descriptions of the schema tell the same. */
const SHAPES = {
  prefs: fields({
    Mediums: each(fields({ signuptime: number, acceptmarketing: flag, acceptsource: text })),
  }),
  pd: fields(PLATFORM_DATA),
};

type Json = Record<string, unknown>;

/** What records show where nobody has sent anything. */
const EMPTY = {
  prefs: { Mediums: {} },
  pd: {
    tags: [],
    addresses: [],
    orders_count: null,
    state: null,
    accepts_marketing: null,
    updated_at: null,
    created_at: null,
    total_spent: null,
    last_order_id: null,
  } satisfies Record<keyof typeof PLATFORM_DATA, unknown>,
};

/** Without what records show anyway: what was read can be sent back, and is neither larger nor an answer of the shopper. */
export function withoutEmpty(field: keyof typeof EMPTY, sent: unknown): unknown {
  if (!isObject(sent)) return sent;
  const empty: Json = EMPTY[field];
  const isShown = ([key, value]: [string, unknown]): boolean =>
    Object.hasOwn(empty, key) && (value === null || JSON.stringify(value) === JSON.stringify(empty[key]));
  return Object.fromEntries(Object.entries(sent).filter((entry) => !isShown(entry)));
}

/** Preferences or platform data as records show them, with every key that is known. What others see of an owner, who is without a regid there, stays empty. */
export function shownOf(field: keyof typeof EMPTY, shopper: { regid: string; prefs: Json; pd: Json }): Json {
  if (shopper.regid === '') return shopper[field];
  const empty: Json = EMPTY[field];
  const sent = Object.entries(shopper[field]).filter(
    ([key, value]) => value !== null || !Object.hasOwn(empty, key),
  );
  return Object.fromEntries([...Object.entries(empty), ...sent]);
}

/** What is wrong with preferences or platform data, in a sentence that names the field; null when nothing is. */
export function shapeFault(field: keyof typeof SHAPES, value: unknown): string | null {
  const fault = SHAPES[field](value);
  return fault && `${field}${fault.path} ${fault.rule}`;
}
