import { isSupportedCountry } from 'libphonenumber-js';
import { columnOf } from '../platform/database/columns.ts';
import { isEmail } from '../platform/email.ts';
import { fail } from '../platform/errors.ts';
import { intRule, isIntIn } from '../platform/fields.ts';
import { plainOrigin } from '../platform/origin.ts';
import { codePoints, hasControlCharacters, isStorable } from '../platform/text.ts';
import type { Setting, TextCheck } from './setting.types.ts';
import { storeSettings } from './store.columns.ts';
import type { SettingName } from './store.columns.ts';
import type { StoreColumns } from './store.repo.ts';
import type { ScheduleInput } from './store.rules.ts';

export type StoreSettings = StoreColumns & ScheduleInput;

/** Returns the caller's name for a setting: GraphQL's field or the command line's flag. */
export type NameSetting = (name: SettingName) => string;

export const flagOf: NameSetting = (name) => columnOf(name).replaceAll('_', '-');

const BUILT_IN_TYPES = new Set(['wl', 'sfl']);
const LIMIT_KINDS = new Set(['key', 'shopper', 'address', 'cost']);
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
const MAX_ORIGIN = 300;

const isSafe = (text: string): boolean => !hasControlCharacters(text) && isStorable(text);

/** Returns the canonical name from the system's tables, or null if it is unknown. */
function knownName(find: () => string | undefined): string | null {
  try {
    return find() ?? null;
  } catch {
    return null;
  }
}

function toLogoUrl(url: string): string | null {
  const isHttps = isSafe(url) && /^https:\/\//i.test(url) && URL.canParse(url);
  return isHttps && new URL(url).username === '' && plainOrigin(url) !== null ? new URL(url).href : null;
}

function isShareUrl(url: string): boolean {
  const probe = url.replaceAll('{lid}', 'x');
  return isSafe(url) && URL.canParse(probe) && /^https?:/.test(probe);
}

function isOrigin(text: string): boolean {
  const isShort = text.length <= MAX_ORIGIN;
  return isShort && URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}

/** `read` returns the stored form of a text, or null if it is invalid; `rule` describes what is valid. */
type Check = { read: (text: string, max: number) => string | null; rule: (max: number) => string };

const CHECKS: Record<TextCheck, Check> = {
  line: {
    read(text, max) {
      const line = text.trim();
      return line !== '' && codePoints(line) <= max && isSafe(line) ? line : null;
    },
    rule: (max) => `must have 1 to ${max} printable characters`,
  },
  url: {
    read: (text, max) => (text.trim().length <= max ? toLogoUrl(text.trim()) : null),
    rule: (max) => `must be an https address of at most ${max} characters`,
  },
  listType: {
    read: (type) => (/^[A-Za-z0-9_-]{1,32}$/.test(type) && !BUILT_IN_TYPES.has(type) ? type : null),
    rule: () => 'must have 1 to 32 of A-Z a-z 0-9 _ - and not be wl or sfl',
  },
  origin: {
    read: (origin) => (isOrigin(origin) ? origin : null),
    rule: () => 'is not an origin such as https://shop.example',
  },
  shareUrl: {
    read: (url, max) => (url.length <= max && isShareUrl(url) ? url : null),
    rule: (max) =>
      `must be an http(s) address of at most ${max} characters; {lid} in it stands for the list id`,
  },
  region: {
    read(text) {
      const region = text.trim().toUpperCase();
      return isSupportedCountry(region) ? region : null;
    },
    rule: () => 'must be a country of two letters, such as DE or US',
  },
  time: {
    read: (time) => (/^([01]\d|2[0-3]):[0-5]\d$/.test(time) ? time : null),
    rule: () => 'must be a time of day such as 22:00',
  },
  timeZone: {
    // Offsets such as +02:00 are rejected, because they have no daylight saving time.
    read: (text) =>
      /^\s*[A-Za-z]/.test(text)
        ? knownName(() => new Intl.DateTimeFormat('en', { timeZone: text.trim() }).resolvedOptions().timeZone)
        : null,
    rule: () => 'must be the name of a time zone such as Europe/Berlin',
  },
  colour: {
    read: (text) => (/^#[\da-f]{6}$/i.test(text.trim()) ? text.trim().toLowerCase() : null),
    rule: () => 'must be a colour such as #1a73e8',
  },
  email: {
    read: (text) => (isEmail(text.trim()) ? text.trim() : null),
    rule: () => 'must be an e-mail address',
  },
  currency: {
    read(text) {
      const currency = text.trim().toUpperCase();
      return CURRENCIES.has(currency) ? currency : null;
    },
    rule: () => 'must be a currency of three letters (ISO 4217), such as EUR',
  },
  locale: {
    read: (text, max) =>
      text.trim().length <= max
        ? knownName(() => Intl.NumberFormat.supportedLocalesOf(text.trim())[0])
        : null,
    rule: () => 'must be a language (BCP 47) that is known, such as en, de-CH or pt-BR',
  },
};

function isRateLimit([kind, limit]: [string, number]): boolean {
  return LIMIT_KINDS.has(kind) && Number.isInteger(limit) && limit > 0;
}

function checkList(label: string, setting: Setting & { kind: 'list' }, entries: string[]): string[] {
  const { read, rule } = CHECKS[setting.check];
  const unique = [...new Set(entries)];
  if (unique.length > setting.max)
    fail('invalid-request', `${label} must have at most ${setting.max} entries`);
  const bad = unique.find((entry) => read(entry, setting.max) === null);
  return bad === undefined ? unique : fail('invalid-request', `${label}: "${bad}" ${rule(setting.max)}`);
}

const isNullable = (setting: Setting): boolean => 'initial' in setting && setting.initial === null;

/** Returns the value to store, or throws an error that begins with `label`. */
function checkSetting(label: string, setting: Setting, value: unknown): unknown {
  if (value === null)
    return isNullable(setting) ? null : fail('invalid-request', `${label} must not be null`);
  switch (setting.kind) {
    case 'text': {
      const { read, rule } = CHECKS[setting.check];
      const { max = Infinity } = setting;
      return read(value as string, max) ?? fail('invalid-request', `${label} ${rule(max)}`);
    }
    case 'list':
      return checkList(label, setting, value as string[]);
    case 'int':
      return isIntIn(setting, value) ? value : fail('invalid-request', `${label} ${intRule(setting)}`);
    case 'rateLimits':
      return Object.entries(value as Record<string, number>).every(isRateLimit)
        ? value
        : fail(
            'invalid-request',
            `${label} must be key=N, shopper=N or address=N with N requests a minute, or cost=N`,
          );
    case 'flag':
      return value;
  }
}

/** Returns the settings to store, or throws an error that uses the caller's name of the invalid one. */
export function checkSettings(settings: StoreSettings, nameOf: NameSetting): StoreSettings {
  const given = storeSettings.filter(({ name }) => settings[name] !== undefined);
  return Object.fromEntries(
    given.map((setting) => [
      setting.name,
      checkSetting(nameOf(setting.name), setting, settings[setting.name]),
    ]),
  );
}
