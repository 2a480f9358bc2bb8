import { isEmail } from '../platform/email.ts';
import { fail } from '../platform/errors.ts';
import { plainOrigin } from '../platform/origin.ts';
import { codePoints, hasControlCharacters, isStorable } from '../platform/text.ts';

/** What a store's messages and pages look like; what is null has a plain form. */
export type Brand = {
  logoUrl: string | null;
  /** `#rrggbb`. */
  colour: string | null;
  senderName: string | null;
  senderAddress: string | null;
  /** ISO 4217; prices are plain numbers without it. */
  currency: string | null;
  /** BCP 47; it says how numbers are written. */
  locale: string;
};

/** The name of a setting in the caller's words. */
type NameField = (field: keyof Brand) => string;

const MAX_LOGO_URL = 1_000;
const MAX_SENDER = 100;
const MAX_LOCALE = 35;
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

function isLogoUrl(url: string): boolean {
  const isSafe = url.length <= MAX_LOGO_URL && !hasControlCharacters(url) && isStorable(url);
  const isHttps = isSafe && /^https:\/\//i.test(url) && URL.canParse(url);
  return isHttps && new URL(url).username === '' && plainOrigin(url) !== null;
}

function isSenderName(name: string): boolean {
  const isShort = name !== '' && codePoints(name) <= MAX_SENDER;
  return isShort && !hasControlCharacters(name) && isStorable(name);
}

/** The locale in its own spelling; null for what is none, or none that numbers could be written in. */
function localeOf(name: string): string | null {
  if (name.length > MAX_LOCALE) return null;
  try {
    return Intl.NumberFormat.supportedLocalesOf(name)[0] ?? null;
  } catch {
    return null;
  }
}

/** The form in which each value is stored, and what it must be. */
const RULES: { [Field in keyof Brand]: { read: (text: string) => string | null; rule: string } } = {
  logoUrl: {
    read: (url) => (isLogoUrl(url) ? new URL(url).href : null),
    rule: `must be an https address of at most ${MAX_LOGO_URL} characters`,
  },
  colour: {
    read: (text) => (/^#[\da-f]{6}$/i.test(text) ? text.toLowerCase() : null),
    rule: 'must be a colour such as #1a73e8',
  },
  senderName: {
    read: (name) => (isSenderName(name) ? name : null),
    rule: `must have 1 to ${MAX_SENDER} printable characters`,
  },
  senderAddress: { read: (text) => (isEmail(text) ? text : null), rule: 'must be an e-mail address' },
  currency: {
    read: (text) => (CURRENCIES.has(text.toUpperCase()) ? text.toUpperCase() : null),
    rule: 'must be a currency of three letters (ISO 4217), such as EUR',
  },
  locale: { read: localeOf, rule: 'must be a language (BCP 47) that is known, such as en, de-CH or pt-BR' },
};

/** The fields of a brand. */
export const BRAND_FIELDS = Object.keys(RULES) as (keyof Brand)[];

/** The parts of a brand as they will be stored, or the failure that names the wrong one. */
export function checkBrand(input: Partial<Brand>, nameOf: NameField): Partial<Brand> {
  const given = BRAND_FIELDS.filter((field) => input[field] != null);
  const checked = given.map((field) => {
    const { read, rule } = RULES[field];
    return [field, read(input[field]!.trim()) ?? fail('invalid-request', `${nameOf(field)} ${rule}`)];
  });
  return Object.fromEntries(checked) as Partial<Brand>;
}
