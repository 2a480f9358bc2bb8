import type { Pacing } from '../stores/frequency.rules.ts';
import { flagOf } from '../stores/setting.rules.ts';
import { storeSettings } from '../stores/store.columns.ts';
import type { SettingName } from '../stores/store.columns.ts';
import type { RateLimits, StoreListing } from '../stores/store.service.ts';

/** A key without the key, in one line. */
export function describeKey(key: Omit<StoreListing['keys'][number], 'pid'>): string {
  const used = key.lastUsedAt === null ? 'never used' : `last used ${key.lastUsedAt.toISOString()}`;
  const name = key.name === '' ? '' : `  ${key.name}`;
  return `…${key.hint}  id ${key.id}${name}  since ${key.createdAt.toISOString()}  ${used}`;
}

export function describeTokenKey({ cts, endsAt }: StoreListing['tokenKeys'][number], index: number): string {
  const end = endsAt === null ? 'taken until it is dropped' : `taken until ${endsAt.toISOString()}`;
  return `since ${cts.toISOString()}  ${index === 0 ? 'signs' : end}`;
}

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');
const pacingOf = ({ pacing }: StoreListing): Pacing => pacing as Pacing;

/** Settings whose line says more than the name and the value; null where the line of another says it. */
const LINES: { [Name in SettingName]?: [label: string, text: (store: StoreListing) => string] | null } = {
  name: null,
  listTypes: ['list types', ({ listTypes }) => ['wl', 'sfl', ...listTypes].join(', ')],
  inventoryManaged: [
    'stock',
    ({ inventoryManaged }) => (inventoryManaged ? 'managed by the platform' : 'not managed: no alerts'),
  ],
  allowedOrigins: ['allowed origins', ({ allowedOrigins }) => allowedOrigins.join(', ') || 'any'],
  shareUrl: ['share address', ({ shareUrl }) => shareUrl ?? "this service's own page"],
  doubleOptIn: ['double opt-in', ({ doubleOptIn }) => yesNo(doubleOptIn)],
  defaultRegion: [
    'default region',
    ({ defaultRegion }) => defaultRegion ?? 'none: phone numbers need their country code',
  ],
  digestSeconds: [
    'digest',
    (store) => {
      const { digestSeconds } = pacingOf(store);
      return digestSeconds === undefined ? 'no: each alert leaves alone' : `alerts of ${digestSeconds} s`;
    },
  ],
  quietFrom: [
    'quiet hours',
    (store) => {
      const { quietFrom, quietTo, timeZone = 'UTC' } = pacingOf(store);
      return quietFrom === undefined ? 'none' : `${quietFrom} to ${quietTo} (${timeZone})`;
    },
  ],
  quietTo: null,
  timeZone: ['time zone', (store) => pacingOf(store).timeZone ?? 'UTC'],
  dailyCap: [
    'daily cap',
    (store) => {
      const { dailyCap } = pacingOf(store);
      return dailyCap === undefined ? 'none' : `${dailyCap} messages a contact`;
    },
  ],
  measureAlerts: [
    'clicks',
    ({ measureAlerts, attributionDays }) =>
      measureAlerts ? `counted, for orders within ${attributionDays} days` : 'not counted',
  ],
  attributionDays: null,
  mergedSessions: ['merged sessions', ({ mergedSessions }) => (mergedSessions ? 'open the account' : 'end')],
  restoreDays: [
    'deleted lists',
    ({ restoreDays }) =>
      restoreDays > 0 ? `can be brought back for ${restoreDays} days` : 'are gone at once',
  ],
  logoUrl: ['logo', ({ logoUrl }) => logoUrl ?? 'none: messages and pages show the name'],
  colour: ['colour', ({ colour }) => colour ?? 'a dark one'],
  senderName: [
    'mails come from',
    ({ name, senderName, senderAddress }) =>
      `${senderName ?? name}${senderAddress === null ? '' : `, answers go to ${senderAddress}`}`,
  ],
  senderAddress: null,
  currency: ['prices', ({ currency, locale }) => `${currency ?? 'plain numbers'} as in ${locale}`],
  locale: null,
  rateLimits: [
    'rate limits',
    ({ rateLimits }) =>
      Object.entries(rateLimits as RateLimits)
        .map(([kind, limit]) => `${kind}=${limit}`)
        .join(', ') || 'as published',
  ],
};

function plainValue(value: unknown): string {
  if (typeof value === 'boolean') return yesNo(value);
  if (Array.isArray(value)) return value.join(', ') || 'none';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'none';
}

function lineOf(store: StoreListing, name: SettingName): [label: string, text: string][] {
  const line = LINES[name];
  if (line === null) return [];
  if (line !== undefined) return [[line[0], line[1](store)]];
  return [
    [flagOf(name).replaceAll('-', ' '), plainValue((store as Partial<Record<SettingName, unknown>>)[name])],
  ];
}

/** A store with its keys and settings, a line each. */
export function describeStore(store: StoreListing): string {
  const marks = `${store.isDemo ? ' (demo)' : ''}${store.maintenance ? ' (closed for maintenance)' : ''}`;
  const lines: [label: string, text: string][] = [
    ['pid', store.pid],
    ...store.keys.map((key): [string, string] => ['key', describeKey(key)]),
    ...store.tokenKeys.map((key, index): [string, string] => ['token key', describeTokenKey(key, index)]),
    ...storeSettings.flatMap(({ name }) => lineOf(store, name)),
  ];
  return [`${store.name}${marks}`, ...lines.map(([label, text]) => `  ${label.padEnd(17)} ${text}`)].join(
    '\n',
  );
}
