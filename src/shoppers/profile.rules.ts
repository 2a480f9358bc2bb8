import { z } from 'zod';
import { isSmall, joinMaps, placeIn } from '../platform/json.ts';
import type { Profile } from './shopper.repo.ts';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const must = (rule: string, isValid: (value: unknown) => boolean) => z.custom(isValid, `must be ${rule}`);

const text = must('a string', (value) => typeof value === 'string');
const number = must('a number', (value) => typeof value === 'number');
const flag = must('true or false', (value) => typeof value === 'boolean');
const decimal = must(
  'a decimal string such as "19.90"',
  (value) => typeof value === 'string' && /^-?\d{1,20}(\.\d{1,20})?$/.test(value),
);
const id = must('a number or a string', (value) => typeof value === 'number' || typeof value === 'string');
const time = must(
  'a time: an ISO 8601 string or milliseconds since the epoch',
  (value) =>
    typeof value === 'number' ||
    (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))),
);
const list = (entry: z.ZodType) => z.array(entry, 'must be an array');

/** Known keys are checked, and may be missing or null; others are allowed. */
const object = (fields: Record<string, z.ZodType>) => {
  const optional = Object.entries(fields).map(([key, field]) => [key, field.nullish()]);
  return z.looseObject(Object.fromEntries(optional) as Record<string, z.ZodType>, 'must be an object');
};

const PLATFORM_DATA = {
  tags: list(text),
  addresses: list(z.unknown()),
  orders_count: number,
  state: text,
  accepts_marketing: flag,
  updated_at: time,
  created_at: time,
  total_spent: decimal,
  last_order_id: id,
};

const consent = object({ signuptime: number, acceptmarketing: flag, acceptsource: text });

/** What is checked of the JSON that a store keeps on its shoppers; the schema describes the same. */
const CHECKS = {
  prefs: object({ Mediums: z.record(z.string(), consent.nullish(), 'must be an object') }),
  pd: object(PLATFORM_DATA),
};

/** What records show where nothing was sent. */
const EMPTY: Record<keyof typeof CHECKS, Json> = {
  prefs: { Mediums: {} },
  pd: {
    ...Object.fromEntries(Object.keys(PLATFORM_DATA).map((key) => [key, null])),
    tags: [],
    addresses: [],
  },
};

/** Drops the values that records show anyway, so that a record can be sent back as it was read. */
export function withoutEmpty(field: keyof typeof EMPTY, sent: unknown): unknown {
  if (!isObject(sent)) return sent;
  const empty = EMPTY[field];
  const isShown = ([key, value]: [string, unknown]): boolean =>
    Object.hasOwn(empty, key) && (value === null || JSON.stringify(value) === JSON.stringify(empty[key]));
  return Object.fromEntries(Object.entries(sent).filter((entry) => !isShown(entry)));
}

/** Preferences or platform data with every known key; empty for the owner of a shared list, who has no regid here. */
export function shownOf(field: keyof typeof EMPTY, shopper: { regid: string; prefs: Json; pd: Json }): Json {
  if (shopper.regid === '') return shopper[field];
  const empty = EMPTY[field];
  const sent = Object.entries(shopper[field]).filter(
    ([key, value]) => value !== null || !Object.hasOwn(empty, key),
  );
  return Object.fromEntries([...Object.entries(empty), ...sent]);
}

const entriesOf = <Entry>(value: unknown, isEntry: (entry: unknown) => entry is Entry): Entry[] =>
  Array.isArray(value) ? value.filter(isEntry) : [];
const isText = (value: unknown): value is string => typeof value === 'string';
const textOf = (value: unknown): string | null => (isText(value) ? value : null);
const flagOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);
const timeOf = (value: unknown): Date | null => {
  const at = time.safeParse(value).success ? new Date(value as string | number) : null;
  return at === null || Number.isNaN(at.getTime()) ? null : at;
};
const isInt = (value: unknown): value is number =>
  Number.isInteger(value) && Math.abs(value as number) < 2 ** 31;

/** Platform data by type. A value of another type, which an older version may have stored, is null. */
export function platformDataOf({ orders_count: orders, accepts_marketing: accepts, ...pd }: Json) {
  const { tags, addresses, state, updated_at, created_at, total_spent, last_order_id, ...other } = pd;
  return {
    tags: entriesOf(tags, isText),
    addresses: entriesOf(addresses, isObject),
    ordersCount: isInt(orders) ? orders : null,
    state: textOf(state),
    acceptsMarketing: flagOf(accepts),
    createdAt: timeOf(created_at),
    updatedAt: timeOf(updated_at),
    totalSpent: decimal.safeParse(total_spent).success ? textOf(total_spent) : null,
    lastOrderId: id.safeParse(last_order_id).success ? String(last_order_id) : null,
    other,
  };
}

/** Preferences by type, in the same way. */
export function preferencesOf({ Mediums, ...other }: Json) {
  const media = Object.entries(isObject(Mediums) ? Mediums : {}).flatMap(([medium, choice]) =>
    isObject(choice)
      ? {
          medium,
          acceptsMarketing: flagOf(choice['acceptmarketing']),
          source: textOf(choice['acceptsource']),
          signedUpAt: timeOf(choice['signuptime']),
        }
      : [],
  );
  return { media, other };
}

/** What is wrong with preferences or platform data, in a sentence that names the field; null when nothing is. */
export function profileFault(field: keyof typeof CHECKS, value: unknown): string | null {
  const [issue] = CHECKS[field].safeParse(value).error?.issues ?? [];
  return issue ? `${field}${placeIn(issue.path as (string | number)[])} ${issue.message}` : null;
}

/** Consents are joined medium by medium: one about SMS completes preferences that only name emails. */
function fillPrefs(own: Json, given: Json): Json {
  const [mine, theirs] = [own['Mediums'], given['Mediums']];
  if (!isObject(mine) || !isObject(theirs)) return joinMaps(own, given);
  const filled = { ...own, Mediums: { ...theirs, ...mine } };
  return joinMaps(isSmall(filled) ? filled : own, given);
}

/** An account's profile, completed from a guest's. An account that has made a choice about marketing keeps it. */
export function fillProfile(own: Profile, given: Profile): Profile {
  const filled = FIELDS.map((field) => [field, isBlank(own[field]) ? given[field] : own[field]]);
  return {
    ...(Object.fromEntries(filled) as Profile),
    acc_mkt: own.acc_mkt || (isBlank(own.prefs) && given.acc_mkt),
    prefs: fillPrefs(own.prefs, given.prefs),
    pd: joinMaps(own.pd, given.pd),
  };
}

export const BLANK_PROFILE = {
  ...{ fname: '', lname: '', m: null, sw_mkt: null, ut: null, acc_mkt: false, extags: [], language: null },
  ...{ prefs: {}, pd: {} },
} satisfies Profile;

const FIELDS = Object.keys(BLANK_PROFILE) as (keyof Profile)[];

const isBlank = (value: Profile[keyof Profile]): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : !value;

export function isBlankProfile(profile: Profile): boolean {
  return FIELDS.every((field) => isBlank(profile[field]));
}
