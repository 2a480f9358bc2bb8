import { isSupportedCountry } from 'libphonenumber-js';
import { fail } from '../platform/errors.ts';
import { codePoints, hasControlCharacters, isStorable } from '../platform/text.ts';
import { checkBrand } from './brand.rules.ts';
import type { PacingInput } from './frequency.rules.ts';
import type { StoreSettings } from './store.repo.ts';

const LIST_TYPE = /^[A-Za-z0-9_-]{1,32}$/;
const BUILT_IN_TYPES = new Set(['wl', 'sfl']);
const LIMIT_KINDS = new Set(['key', 'shopper', 'address', 'cost']);

// A store is read with every request, so what it holds is bounded.
const MAX_NAME = 100;
const MAX_LIST_TYPES = 50;
const MAX_ORIGINS = 100;
const MAX_ORIGIN = 300;
const MAX_SHARE_URL = 1_000;
/** Longer would be an archive of what people wanted to be gone. */
const MAX_RESTORE_DAYS = 365;
const MAX_ATTRIBUTION_DAYS = 90;

/** Most valid API keys of a store. */
export const MAX_KEYS = 20;

/** How a caller knows a setting: by GraphQL's field or by the command line's flag. */
export type NameSetting = (field: keyof StoreSettings | keyof PacingInput) => string;

/** The flag of a setting on the command line, without its dashes. */
export const flagOf: NameSetting = (field) => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Whether this process serves a store: where DEMO is off, the demo store of earlier days counts as unknown. */
export function isServed(config: { demo: boolean }, store: { isDemo: boolean }): boolean {
  return config.demo || !store.isDemo;
}

/** Whether a text is the origin of a web page, as a browser sends it. */
function isOrigin(text: string): boolean {
  const isShort = text.length <= MAX_ORIGIN;
  return isShort && URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}

function isShareUrl(url: string): boolean {
  const probe = url.replaceAll('{lid}', 'x');
  const isSafe = url.length <= MAX_SHARE_URL && !hasControlCharacters(url) && isStorable(url);
  return isSafe && URL.canParse(probe) && /^https?:/.test(probe);
}

function isName(name: string): boolean {
  const isShort = name.trim() !== '' && codePoints(name) <= MAX_NAME;
  return isShort && !hasControlCharacters(name) && isStorable(name);
}

function isRateLimit([kind, limit]: [string, number]): boolean {
  return LIMIT_KINDS.has(kind) && Number.isInteger(limit) && limit > 0;
}

function isDays(days: number): boolean {
  return Number.isInteger(days) && days >= 0 && days <= MAX_RESTORE_DAYS;
}

function uniqueUpTo(name: string, entries: readonly string[] | undefined, max: number): string[] | undefined {
  const unique = entries && [...new Set(entries)];
  if (unique && unique.length > max) fail('invalid-request', `${name} must have at most ${max} entries`);
  return unique;
}

/** Settings as they will be stored, or the failure that names the wrong one in the caller's words. */
export function checkSettings(settings: StoreSettings, nameOf: NameSetting = flagOf): StoreSettings {
  const { name, shareUrl, defaultRegion, rateLimits, restoreDays } = settings;
  if (name !== undefined && !isName(name))
    fail('invalid-request', `${nameOf('name')} must have 1 to ${MAX_NAME} printable characters`);
  const listTypes = uniqueUpTo(nameOf('listTypes'), settings.listTypes, MAX_LIST_TYPES);
  const badType = listTypes?.find((type) => !LIST_TYPE.test(type) || BUILT_IN_TYPES.has(type));
  if (badType !== undefined)
    fail(
      'invalid-request',
      `${nameOf('listTypes')}: "${badType}" must have 1 to 32 of A-Z a-z 0-9 _ - and not be wl or sfl`,
    );
  const allowedOrigins = uniqueUpTo(nameOf('allowedOrigins'), settings.allowedOrigins, MAX_ORIGINS);
  const badOrigin = allowedOrigins?.find((origin) => !isOrigin(origin));
  if (badOrigin !== undefined)
    fail(
      'invalid-request',
      `${nameOf('allowedOrigins')}: "${badOrigin}" is not an origin such as https://shop.example`,
    );
  if (shareUrl != null && !isShareUrl(shareUrl))
    fail(
      'invalid-request',
      `${nameOf('shareUrl')} must be an http(s) address of at most ${MAX_SHARE_URL} characters; {lid} in it stands for the list id`,
    );
  const region = defaultRegion?.trim().toUpperCase();
  if (region !== undefined && !isSupportedCountry(region))
    fail('invalid-request', `${nameOf('defaultRegion')} must be a country of two letters, such as DE or US`);
  if (restoreDays !== undefined && !isDays(restoreDays))
    fail(
      'invalid-request',
      `${nameOf('restoreDays')} must be a whole number of days from 0 to ${MAX_RESTORE_DAYS}`,
    );
  const { attributionDays: days = 1 } = settings;
  if (!Number.isInteger(days) || days < 1 || days > MAX_ATTRIBUTION_DAYS)
    fail('invalid-request', `${nameOf('attributionDays')} must be between 1 and ${MAX_ATTRIBUTION_DAYS}`);
  if (!Object.entries(rateLimits ?? {}).every(isRateLimit))
    fail(
      'invalid-request',
      `${nameOf('rateLimits')} must be key=N, shopper=N or address=N with N requests a minute, or cost=N`,
    );
  return {
    ...settings,
    ...checkBrand(settings, nameOf),
    ...(name !== undefined && { name: name.trim() }),
    ...(listTypes && { listTypes }),
    ...(allowedOrigins && { allowedOrigins }),
    ...(region !== undefined && { defaultRegion: region }),
  };
}
