import { parseArgs } from 'node:util';
import type { RateLimits, StoreSettings } from '../stores/store.service.ts';
import { UsageError } from './usage.ts';

/** A flag of a command. */
export type Flag = { type: 'string' | 'boolean'; help: string; value?: string };

/** What was given on the command line, by flag name. */
export type Values = { [flag: string]: string | boolean | undefined };

/** Flags that every command takes. */
export const COMMON_FLAGS: Record<string, Flag> = {
  json: { type: 'boolean', help: 'print one line of JSON instead of text' },
  help: { type: 'boolean', help: 'show this help' },
};

/** Flags that set something on a store; those with a `no-` twin can be turned back with it. */
export const SETTING_FLAGS: Record<string, Flag> = {
  name: { type: 'string', value: 'NAME', help: 'name that people see' },
  'list-types': {
    type: 'string',
    value: 'A,B',
    help: 'list types beyond wl and sfl that shoppers may create',
  },
  'no-list-types': { type: 'boolean', help: 'only wl and sfl' },
  'custom-items': { type: 'boolean', help: 'allow items that are not in the catalogue' },
  'no-custom-items': { type: 'boolean', help: 'refuse them (default)' },
  'inventory-unmanaged': { type: 'boolean', help: 'the platform does not manage stock: no alerts' },
  'no-inventory-unmanaged': { type: 'boolean', help: 'the platform manages stock (default)' },
  'allowed-origins': {
    type: 'string',
    value: 'URL,URL',
    help: 'browser origins that may call, such as https://shop.example',
  },
  'no-allowed-origins': { type: 'boolean', help: 'any origin may call (default)' },
  'share-url': {
    type: 'string',
    value: 'URL',
    help: 'address that a shared list opens; {lid} in it is the list id',
  },
  'no-share-url': { type: 'boolean', help: "this service's own page (default)" },
  'double-opt-in': { type: 'boolean', help: 'new subscribers must confirm by a link' },
  'no-double-opt-in': { type: 'boolean', help: 'they need not (default)' },
  'default-region': {
    type: 'string',
    value: 'DE',
    help: 'country whose national phone numbers are understood',
  },
  'no-default-region': { type: 'boolean', help: 'phone numbers need their country code (default)' },
  'digest-seconds': {
    type: 'string',
    value: 'N',
    help: 'alerts of one contact within so many seconds leave in one message',
  },
  'no-digest-seconds': { type: 'boolean', help: 'each leaves alone (default)' },
  'quiet-from': { type: 'string', value: 'HH:MM', help: 'no alert leaves from this time of day …' },
  'no-quiet-from': { type: 'boolean', help: 'with --no-quiet-to: alerts leave at any time (default)' },
  'quiet-to': { type: 'string', value: 'HH:MM', help: '… until this one' },
  'no-quiet-to': { type: 'boolean', help: 'see --no-quiet-from' },
  'time-zone': { type: 'string', value: 'ZONE', help: "the store's time zone, such as Europe/Berlin" },
  'no-time-zone': { type: 'boolean', help: 'UTC (default)' },
  'daily-cap': { type: 'string', value: 'N', help: 'messages with alerts a contact gets within 24 hours' },
  'no-daily-cap': { type: 'boolean', help: 'no limit (default)' },
  'measure-alerts': { type: 'boolean', help: 'links in alerts count clicks (default)' },
  'no-measure-alerts': { type: 'boolean', help: "they are the shop's own" },
  'attribution-days': {
    type: 'string',
    value: 'N',
    help: 'days after a click in which an order counts as from the alert, 1 to 90',
  },
  'no-attribution-days': { type: 'boolean', help: '7 days (default)' },
  'merged-sessions': { type: 'boolean', help: "a merged guest's last sessionid opens its account (default)" },
  'no-merged-sessions': { type: 'boolean', help: 'it does not' },
  'restore-days': {
    type: 'string',
    value: 'N',
    help: 'days for which deleted lists and items can be brought back, 0 to 365; 0 keeps none',
  },
  'no-restore-days': { type: 'boolean', help: '30 days (default)' },
  'logo-url': { type: 'string', value: 'URL', help: 'https address of the logo in messages and on pages' },
  'no-logo-url': { type: 'boolean', help: "they show the store's name (default)" },
  colour: { type: 'string', value: '#RRGGBB', help: 'colour of their buttons' },
  'no-colour': { type: 'boolean', help: 'a dark one (default)' },
  'sender-name': { type: 'string', value: 'NAME', help: 'name that mails come from' },
  'no-sender-name': { type: 'boolean', help: "the store's name (default)" },
  'sender-address': { type: 'string', value: 'EMAIL', help: 'address to which answers to mails go' },
  'no-sender-address': { type: 'boolean', help: "the service's (default)" },
  currency: { type: 'string', value: 'EUR', help: 'currency of all prices' },
  'no-currency': { type: 'boolean', help: 'prices are plain numbers (default)' },
  locale: { type: 'string', value: 'de-CH', help: 'language and country as which prices are written' },
  'no-locale': { type: 'boolean', help: 'en (default)' },
  'rate-limits': {
    type: 'string',
    value: 'key=N,shopper=N,address=N,cost=N',
    help: 'requests a minute, and what GraphQL documents may cost, those of keys and again those of shoppers; kinds left out keep the published limit',
  },
  'no-rate-limits': { type: 'boolean', help: 'the published limits (default)' },
};

/** Arguments with each value joined to its flag: one id in 64 begins with a dash, and is not a flag for that. */
function joinValues(args: readonly string[], options: Record<string, Pick<Flag, 'type'>>): string[] {
  const flagOf = (arg = '') => (arg.startsWith('--') ? options[arg.slice(2).split('=')[0]!] : undefined);
  const isValue = (arg: string, before?: string): boolean =>
    arg.startsWith('-') && !flagOf(arg) && !before?.includes('=') && flagOf(before)?.type === 'string';
  return args.flatMap((arg, index) => {
    const next = args[index + 1];
    if (isValue(arg, args[index - 1])) return [];
    return next !== undefined && isValue(next, arg) ? [`${arg}=${next}`] : [arg];
  });
}

/** Reads a command's arguments; what cannot be understood is a UsageError that names the flag. */
export function readFlags(args: string[], flags: Record<string, Flag>): Values {
  const options = Object.fromEntries(
    Object.entries({ ...flags, ...COMMON_FLAGS }).map(([name, { type }]) => [name, { type }]),
  );
  try {
    return parseArgs({ args: joinValues(args, options), options, strict: true, allowPositionals: false })
      .values;
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    const [given] = /(?<=')-{0,2}[^'\s]+/.exec(message) ?? [];
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
      throw new UsageError(`There is no flag ${given}; see --help`);
    if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL')
      throw new UsageError(`"${given}" belongs to no flag; see --help`);
    if (code !== 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') throw error;
    const isSwitch = message.includes('does not take an argument');
    throw new UsageError(isSwitch ? `${given} takes no value` : `${given} needs a value`);
  }
}

/** The value of a flag that must be there. */
export function required(values: Values, flag: string): string {
  const value = values[flag];
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`--${flag} is missing`);
  return value;
}

/** The one of these flags that was given; none or several is a UsageError. */
export function oneOf<Name extends string>(values: Values, ...flags: Name[]): Name {
  const given = flags.filter((flag) => values[flag] !== undefined);
  if (given.length !== 1)
    throw new UsageError(`Give exactly one of ${flags.map((flag) => `--${flag}`).join(', ')}`);
  return given[0]!;
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

function limits(text: string): RateLimits {
  const pairs = list(text).map((pair) => pair.split('='));
  const bad = pairs.find(([kind, limit, ...more]) => !kind || !/^\d+$/.test(limit ?? '') || more.length > 0);
  if (bad)
    throw new UsageError(`--rate-limits "${bad.join('=')}" must be key=N, shopper=N, address=N or cost=N`);
  return Object.fromEntries(pairs.map(([kind, limit]) => [kind, Number(limit)])) as RateLimits;
}

/** Reads a whole number, or names the flag. */
export const whole =
  (flag: string) =>
  (text: string | boolean): number => {
    if (!/^\d{1,9}$/.test(String(text))) throw new UsageError(`--${flag} must be a whole number`);
    return Number(text);
  };

/** Undefined when neither the flag nor its `no-` twin was given. */
function setting<Value>(
  values: Values,
  flag: string,
  read: (value: string | boolean) => Value,
  cleared: Value,
): Value | undefined {
  const value = values[flag];
  const isCleared = values[`no-${flag}`] === true;
  if (isCleared && value !== undefined) throw new UsageError(`Give --${flag} or --no-${flag}, not both`);
  if (isCleared) return cleared;
  // What is empty was more likely a variable of a script that is not set than a wish to clear the setting.
  if (typeof value === 'string' && value.replaceAll(',', '').trim() === '')
    throw new UsageError(`--${flag} is empty; --no-${flag} clears it`);
  return value === undefined ? undefined : read(value);
}

/** The settings that the flags name, and no other. */
export function readSettings(values: Values): StoreSettings {
  const isOn = (): boolean => true;
  const isUnmanaged = setting(values, 'inventory-unmanaged', isOn, false);
  const settings: StoreSettings = {
    name: values['name'] as string | undefined,
    listTypes: setting(values, 'list-types', (text) => list(String(text)), []),
    customItems: setting(values, 'custom-items', isOn, false),
    inventoryManaged: isUnmanaged === undefined ? undefined : !isUnmanaged,
    allowedOrigins: setting(values, 'allowed-origins', (text) => list(String(text)), []),
    shareUrl: setting<string | null>(values, 'share-url', String, null),
    doubleOptIn: setting(values, 'double-opt-in', isOn, false),
    defaultRegion: setting<string | null>(values, 'default-region', String, null),
    digestSeconds: setting(values, 'digest-seconds', whole('digest-seconds'), 0),
    quietFrom: setting<string | null>(values, 'quiet-from', String, null),
    quietTo: setting<string | null>(values, 'quiet-to', String, null),
    timeZone: setting<string | null>(values, 'time-zone', String, null),
    dailyCap: setting<number | null>(values, 'daily-cap', whole('daily-cap'), null),
    mergedSessions: setting(values, 'merged-sessions', isOn, false),
    restoreDays: setting(values, 'restore-days', whole('restore-days'), 30),
    measureAlerts: setting(values, 'measure-alerts', isOn, false),
    attributionDays: setting(values, 'attribution-days', whole('attribution-days'), 7),
    logoUrl: setting<string | null>(values, 'logo-url', String, null),
    colour: setting<string | null>(values, 'colour', String, null),
    senderName: setting<string | null>(values, 'sender-name', String, null),
    senderAddress: setting<string | null>(values, 'sender-address', String, null),
    currency: setting<string | null>(values, 'currency', String, null),
    locale: setting(values, 'locale', String, 'en'),
    rateLimits: setting(values, 'rate-limits', (text) => limits(String(text)), {}),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
