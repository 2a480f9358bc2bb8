import { flagOf } from '../stores/setting.rules.ts';
import { storeSettings } from '../stores/store.columns.ts';
import type { SendingSchedule } from '../stores/store.rules.ts';
import type { RateLimits, StoreListing } from '../stores/store.service.ts';

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

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return yesNo(value);
  if (Array.isArray(value)) return value.join(', ') || 'none';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'none';
}

/** One line for each key and setting. Settings without a line of their own show their raw values. */
export function describeStore(store: StoreListing): string {
  const { pid, name, keys, tokenKeys, isDemo, maintenance, pacing, ...settings } = store;
  const { listTypes, inventoryManaged, allowedOrigins, shareUrl, doubleOptIn, ...more } = settings;
  const { defaultRegion, measureAlerts, attributionDays, mergedSessions, restoreDays, ...brand } = more;
  const {
    logoUrl,
    colour,
    senderName,
    senderAddress,
    postalAddress,
    imprintUrl,
    currency,
    locale,
    rateLimits,
    ...others
  } = brand;
  const { digestSeconds, quietFrom, quietTo, timeZone = 'UTC', dailyCap } = pacing as SendingSchedule;
  const limits = Object.entries(rateLimits as RateLimits).map(([kind, limit]) => `${kind}=${limit}`);
  const sender = `${senderName ?? name}${senderAddress === null ? '' : `, answers go to ${senderAddress}`}`;
  const marks = `${isDemo ? ' (demo)' : ''}${maintenance ? ' (closed for maintenance)' : ''}`;
  const rows = [
    ['pid', pid],
    ...keys.map((key) => ['key', describeKey(key)]),
    ...tokenKeys.map((key, index) => ['token key', describeTokenKey(key, index)]),
    ['list types', ['wl', 'sfl', ...listTypes].join(', ')],
    ...storeSettings
      .filter((setting) => setting.name in others)
      .map(({ name: own }) => [
        flagOf(own).replaceAll('-', ' '),
        valueText(others[own as keyof typeof others]),
      ]),
    ['stock', inventoryManaged ? 'managed by the platform' : 'not managed: no alerts'],
    ['allowed origins', allowedOrigins.join(', ') || 'any'],
    ['share address', shareUrl ?? "this service's own page"],
    ['double opt-in', yesNo(doubleOptIn)],
    ['default region', defaultRegion ?? 'none: phone numbers need their country code'],
    ['digest', digestSeconds === undefined ? 'no: each alert leaves alone' : `alerts of ${digestSeconds} s`],
    ['quiet hours', quietFrom === undefined ? 'none' : `${quietFrom} to ${quietTo} (${timeZone})`],
    ['daily cap', dailyCap === undefined ? 'none' : `${dailyCap} messages a contact`],
    ['clicks', measureAlerts ? `counted, for orders within ${attributionDays} days` : 'not counted'],
    ['merged sessions', mergedSessions ? 'open the account' : 'end'],
    ['deleted lists', restoreDays > 0 ? `can be brought back for ${restoreDays} days` : 'are gone at once'],
    ['logo', logoUrl ?? 'none: messages and pages show the name'],
    ['colour', colour ?? 'a dark one'],
    ['mails come from', sender],
    ['postal address', postalAddress?.replaceAll('\n', ', ') ?? 'none'],
    ['legal notice', imprintUrl ?? 'none'],
    ['prices', `${currency ?? 'plain numbers'} as in ${locale}`],
    ['time zone', timeZone],
    ['rate limits', limits.join(', ') || 'as published'],
  ];
  return [`${name}${marks}`, ...rows.map(([label = '', text]) => `  ${label.padEnd(17)} ${text}`)].join('\n');
}
