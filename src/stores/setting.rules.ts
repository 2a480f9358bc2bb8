import { isSupportedCountry } from 'libphonenumber-js';
import { columnOf } from '../platform/database/columns.ts';
import { isEmail } from '../platform/email.ts';
import { fail } from '../platform/errors.ts';
import { intRule, isIntIn } from '../platform/fields.ts';
import { isLoopbackUrl } from '../platform/loopback.ts';
import { plainOrigin } from '../platform/origin.ts';
import { codePoints, hasControlCharacters, isLine, isStorable, splitList } from '../platform/text.ts';
import type { Setting, TextCheck } from './setting.types.ts';
import { storeSettings } from './store.columns.ts';
import type { SettingName } from './store.columns.ts';
import type { StoreColumns } from './store.repo.ts';
import type { ScheduleInput } from './store.rules.ts';

export type StoreSettings = StoreColumns & ScheduleInput;

/** Returns the caller's name for a setting: GraphQL's field or the command line's flag. */
type NameSetting = (name: SettingName) => string;

export const flagOf: NameSetting = (name) => columnOf(name).replaceAll('_', '-');

const BUILT_IN_TYPES = new Set(['wl', 'sfl']);
const LIMIT_KINDS = new Set(['key', 'shopper', 'address', 'cost']);
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
const MAX_ORIGIN = 300;
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
export const SHOPIFY_DOMAIN = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/;

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

/** Returns the stored form of a text, or rejects it with the rule that it breaks. */
type CheckText = (text: string, reject: (rule: string) => never, max: number) => string;

const CHECKS: Record<TextCheck, CheckText> = {
  line(text, reject, max) {
    const line = text.trim();
    return line !== '' && isLine(line, max) ? line : reject(`must have 1 to ${max} printable characters`);
  },
  lines(text, reject, max) {
    const lines = text.trim().split(/[ \t]*\r?\n/);
    const stored = lines.join('\n');
    const isFine = stored !== '' && codePoints(stored) <= max && lines.every(isSafe);
    return isFine ? stored : reject(`must have 1 to ${max} printable characters`);
  },
  url(text, reject, max) {
    const url = text.trim();
    const stored = url.length <= max ? toLogoUrl(url) : null;
    return stored ?? reject(`must be an https URL of at most ${max} characters`);
  },
  listType: (type, reject) =>
    /^[A-Za-z0-9_-]{1,32}$/.test(type) && !BUILT_IN_TYPES.has(type)
      ? type
      : reject('must have 1 to 32 characters of A-Z a-z 0-9 _ - and must not be wl or sfl'),
  origin: (origin, reject) =>
    isOrigin(origin) ? origin : reject('must be an origin such as https://shop.example'),
  shareUrl: (url, reject, max) =>
    url.length <= max && isShareUrl(url)
      ? url
      : reject(`must be an http(s) URL of at most ${max} characters; {lid} is replaced with the list id`),
  region(text, reject) {
    const region = text.trim().toUpperCase();
    return isSupportedCountry(region)
      ? region
      : reject('must be a two-letter country code, such as DE or US');
  },
  time: (time, reject) =>
    /^([01]\d|2[0-3]):[0-5]\d$/.test(time) ? time : reject('must be a time of day such as 22:00'),
  timeZone(text, reject) {
    const find = () => new Intl.DateTimeFormat('en', { timeZone: text.trim() }).resolvedOptions().timeZone;
    // Offsets such as +02:00 are rejected, because they have no daylight saving time.
    const zone = /^\s*[A-Za-z]/.test(text) ? knownName(find) : null;
    return zone ?? reject('must be a time zone name such as Europe/Berlin');
  },
  colour(text, reject) {
    const colour = text.trim().toLowerCase();
    return /^#[\da-f]{6}$/.test(colour) ? colour : reject('must be a colour such as #1a73e8');
  },
  jwksUri(text, reject, max) {
    const url = text.trim();
    const isUrl = url.length <= max && isSafe(url) && URL.canParse(url) && new URL(url).username === '';
    // Keys that come over plain http could be anybody's, except on the same machine.
    const isTrusted = isUrl && (/^https:/i.test(url) || (/^http:/i.test(url) && isLoopbackUrl(url)));
    return isTrusted ? new URL(url).href : reject(`must be an https URL of at most ${max} characters`);
  },
  algorithm: (text, reject) =>
    ALGORITHMS.find((name) => name === text.trim()) ?? reject(`must be one of ${ALGORITHMS.join(', ')}`),
  claims(text, reject, max) {
    const claims = splitList(text);
    const isFine = claims.length === 3 && claims.every((claim) => isLine(claim, max / 3));
    const rule =
      'must name three claims, such as email,email_verified,sub: email address, whether it is verified, customer id';
    return isFine ? claims.join(',') : reject(rule);
  },
  shopifyDomain(text, reject) {
    const domain = text.trim().toLowerCase();
    return SHOPIFY_DOMAIN.test(domain) ? domain : reject('must be a domain such as hearth.myshopify.com');
  },
  email: (text, reject) => (isEmail(text.trim()) ? text.trim() : reject('must be an email address')),
  currency(text, reject) {
    const currency = text.trim().toUpperCase();
    const rule = 'must be a three-letter currency code (ISO 4217), such as EUR';
    return CURRENCIES.has(currency) ? currency : reject(rule);
  },
  locale(text, reject, max) {
    const find = () => Intl.NumberFormat.supportedLocalesOf(text.trim())[0];
    const locale = text.trim().length <= max ? knownName(find) : null;
    return locale ?? reject('must be a known language tag (BCP 47), such as en, de-CH or pt-BR');
  },
};

const isRateLimit = ([kind, limit]: [string, number]): boolean =>
  LIMIT_KINDS.has(kind) && Number.isInteger(limit) && limit > 0;

const LIMITS_RULE = 'must be key=N, shopper=N or address=N (N requests per minute), or cost=N';

/** Returns the value to store, or throws an error that begins with `label`. */
function checkSetting(label: string, setting: Setting, value: unknown): unknown {
  const reject = (rule: string): never => fail('invalid-request', `${label} ${rule}`);
  const isNullable = 'initial' in setting && setting.initial === null;
  if (value === null && setting.kind === 'list') return [];
  if (value === null) return isNullable ? null : reject('must not be null');
  switch (setting.kind) {
    case 'text':
      return CHECKS[setting.check](value as string, reject, setting.max ?? Infinity);
    case 'list': {
      const entries = [...new Set(value as string[])];
      if (entries.length > setting.max) reject(`must have at most ${setting.max} entries`);
      const rejectEntry = (entry: string) => (rule: string) =>
        fail('invalid-request', `${label}: "${entry}" ${rule}`);
      return entries.map((entry) => CHECKS[setting.check](entry, rejectEntry(entry), setting.max));
    }
    case 'int':
      return isIntIn(setting, value) ? value : reject(intRule(setting));
    case 'rateLimits':
      return Object.entries(value as Record<string, number>).every(isRateLimit) ? value : reject(LIMITS_RULE);
    case 'flag':
      return value;
  }
}

/** Returns the settings to store, or throws an error that uses the caller's name of the invalid one. */
export function checkSettings(settings: StoreSettings, nameOf: NameSetting): StoreSettings {
  const checked = storeSettings
    .filter(({ name }) => settings[name] !== undefined)
    .map((setting) => [setting.name, checkSetting(nameOf(setting.name), setting, settings[setting.name])]);
  return Object.fromEntries(checked) as StoreSettings;
}
