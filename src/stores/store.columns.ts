import { ALERT_SETTINGS } from './alert.columns.ts';
import { BRAND_SETTINGS } from './brand.columns.ts';
import type { Setting } from './setting.types.ts';

/**
 * Every setting in the order of the command line's help; SQL, checks, flags and forms derive from it. The dashboard imports this
 * file, so it imports only tables and types.
 */
export const STORE_SETTINGS = {
  name: {
    ...{ kind: 'text', check: 'line', max: 100 },
    cli: { value: 'NAME', help: 'name that people see' },
    form: { card: 'general' },
  },
  listTypes: {
    ...{ kind: 'list', check: 'listType', max: 50 },
    cli: {
      value: 'A,B',
      help: 'list types beyond wl and sfl that shoppers may create',
      off: 'only wl and sfl',
    },
    form: {
      card: 'lists',
    },
  },
  customItems: {
    kind: 'flag',
    cli: { help: 'allow items that are not in the catalogue', off: 'refuse them (default)' },
    form: {
      card: 'lists',
    },
  },
  inventoryManaged: {
    kind: 'flag',
    cli: {
      inverse: 'inventory-unmanaged',
      help: 'the platform does not manage stock: no alerts',
      off: 'the platform manages stock (default)',
    },
  },
  allowedOrigins: {
    ...{ kind: 'list', check: 'origin', max: 100 },
    cli: {
      value: 'URL,URL',
      help: 'browser origins that may call, such as https://shop.example',
      off: 'any origin may call (default)',
    },
    form: {
      card: 'general',
    },
  },
  shareUrl: {
    ...{ kind: 'text', check: 'shareUrl', max: 1_000, initial: null },
    cli: {
      value: 'URL',
      help: 'address that a shared list opens; {lid} in it is the list id',
      off: "this service's own page (default)",
    },
    form: {
      card: 'lists',
      placeholder: 'https://shop.example/list/{lid}',
    },
  },
  doubleOptIn: {
    kind: 'flag',
    cli: { help: 'new subscribers must confirm by a link', off: 'they need not (default)' },
    form: {
      card: 'general',
    },
  },
  defaultRegion: {
    ...{ kind: 'text', check: 'region', initial: null },
    cli: {
      value: 'DE',
      help: 'country whose national phone numbers are understood',
      off: 'phone numbers need their country code (default)',
    },
    form: {
      card: 'general',
      placeholder: 'DE',
    },
  },
  ...ALERT_SETTINGS,
  mergedSessions: {
    kind: 'flag',
    cli: { help: "a merged guest's last sessionid opens its account (default)", off: 'it does not' },
  },
  restoreDays: {
    ...{ kind: 'int', min: 0, max: 365, initial: 30 },
    rule: 'must be a whole number of days from 0 to 365',
    cli: {
      value: 'N',
      help: 'days for which deleted lists and items can be brought back, 0 to 365; 0 keeps none',
      off: '30 days (default)',
    },
    form: {
      card: 'lists',
    },
  },
  ...BRAND_SETTINGS,
  rateLimits: {
    kind: 'rateLimits',
    cli: {
      value: 'key=N,shopper=N,address=N,cost=N',
      help: 'requests a minute, and what GraphQL documents may cost, those of keys and again those of shoppers; kinds left out keep the published limit',
      off: 'the published limits (default)',
    },
  },
} as const satisfies Record<string, Setting>;

type Table = typeof STORE_SETTINGS;

export type SettingName = keyof Table;

/** Settings with a field in the dashboard, whose texts are in src/messages/dashboard. */
export type FormSettingName = {
  [Name in SettingName]: Table[Name] extends { form: object } ? Name : never;
}[SettingName];

/** Settings that are stored together, because they depend on each other. */
export type ScheduleName = {
  [Name in SettingName]: Table[Name] extends { within: 'pacing' } ? Name : never;
}[SettingName];

export const storeSettings = Object.entries(STORE_SETTINGS).map(
  ([name, setting]: [string, Setting]): Setting & { name: SettingName } => ({
    ...setting,
    name: name as SettingName,
  }),
);
