import type { FieldsWith } from '../platform/database/columns.ts';
import { ALERT_SETTINGS } from './alert.columns.ts';
import { BRAND_SETTINGS } from './brand.columns.ts';
import { IDENTITY_SETTINGS } from './identity.columns.ts';
import type { Setting } from './setting.types.ts';

/**
 * Every setting in the order of the command line's help; SQL, checks, flags and forms derive from it. The dashboard imports this
 * file, so it imports only tables and types.
 */
export const STORE_SETTINGS = {
  name: {
    ...{ kind: 'text', check: 'line', max: 100 },
    cli: { value: 'NAME', help: 'name that shoppers see' },
    form: { card: 'general' },
  },
  listTypes: {
    ...{ kind: 'list', check: 'listType', max: 50 },
    cli: {
      value: 'A,B',
      help: 'list types that shoppers may create, besides wl and sfl',
      off: 'only wl and sfl',
    },
    form: { card: 'lists' },
  },
  customItems: {
    kind: 'flag',
    cli: { help: 'allow items that are not in the catalogue', off: 'reject them (default)' },
    form: { card: 'lists' },
  },
  inventoryManaged: {
    kind: 'flag',
    cli: {
      inverse: 'inventory-unmanaged',
      help: 'the shop does not manage stock: send no alerts',
      off: 'the shop manages stock (default)',
    },
  },
  allowedOrigins: {
    ...{ kind: 'list', check: 'origin', max: 100 },
    cli: {
      value: 'URL,URL',
      help: 'browser origins that may call the API, such as https://shop.example',
      off: 'allow any origin (default)',
    },
    form: { card: 'general' },
  },
  ...IDENTITY_SETTINGS,
  shareUrl: {
    ...{ kind: 'text', check: 'shareUrl', max: 1_000, initial: null },
    cli: {
      value: 'URL',
      help: 'URL of shared lists; {lid} is replaced by the list id',
      off: "this service's page (default)",
    },
    form: { card: 'lists', placeholder: 'https://shop.example/list/{lid}' },
  },
  doubleOptIn: {
    kind: 'flag',
    cli: { help: 'new subscribers must open a confirmation link', off: 'no confirmation (default)' },
    form: { card: 'general' },
  },
  defaultRegion: {
    ...{ kind: 'text', check: 'region', initial: null },
    cli: {
      value: 'DE',
      help: 'country of phone numbers without a country code',
      off: 'phone numbers need a country code (default)',
    },
    form: { card: 'general', placeholder: 'DE' },
  },
  ...ALERT_SETTINGS,
  mergedSessions: {
    kind: 'flag',
    cli: { help: "accept a merged guest's last sessionid for the account (default)", off: 'reject it' },
  },
  restoreDays: {
    ...{ kind: 'int', min: 0, max: 365, initial: 30 },
    rule: 'must be a whole number of days from 0 to 365',
    cli: {
      value: 'N',
      help: 'days in which deleted lists and items can be restored, 0 to 365 (0: never)',
      off: '30 days (default)',
    },
    form: { card: 'lists' },
  },
  guestDays: {
    ...{ kind: 'int', min: 0, max: 3_650, initial: 30 },
    rule: 'must be a whole number of days from 0 to 3650',
    cli: {
      value: 'N',
      help: 'days after its last visit in which a guest without lists, alerts or consent is remembered, 0 to 3650 (0: forever)',
      off: '30 days (default)',
    },
    form: { card: 'lists' },
  },
  ...BRAND_SETTINGS,
  rateLimits: {
    kind: 'rateLimits',
    cli: {
      value: 'key=N,shopper=N,address=N,cost=N',
      help: 'requests and GraphQL cost per minute (cost: for keys, and again for shoppers); others keep the default',
      off: 'the default limits',
    },
  },
} as const satisfies Record<string, Setting>;

type Table = typeof STORE_SETTINGS;

export type SettingName = keyof Table;

/** Settings with a field in the dashboard, whose texts are in src/messages/dashboard. */
export type FormSettingName = FieldsWith<Table, { form: object }>;

/** Settings that are stored together, because they depend on each other. */
export type ScheduleName = FieldsWith<Table, { within: 'pacing' }>;

export const storeSettings = Object.entries(STORE_SETTINGS).map(
  ([name, setting]: [string, Setting]): Setting & { name: SettingName } => ({
    ...setting,
    name: name as SettingName,
  }),
);
