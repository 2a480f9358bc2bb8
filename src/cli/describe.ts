import { flagOf } from '../stores/setting.rules.ts';
import { storeSettings } from '../stores/store.columns.ts';
import type { SendingSchedule } from '../stores/store.rules.ts';
import type { StoreSize } from '../stores/store.repo.ts';
import type { RateLimits, StoreListing } from '../stores/store.service.ts';

export function describeKey(key: Omit<StoreListing['keys'][number], 'pid'>): string {
  const used = key.lastUsedAt === null ? 'never used' : `last used ${key.lastUsedAt.toISOString()}`;
  const name = key.name === '' ? '' : `  ${key.name}`;
  return `…${key.hint}  id ${key.id}${name}  since ${key.createdAt.toISOString()}  ${used}`;
}

export function describeTokenKey({ cts, endsAt }: StoreListing['tokenKeys'][number], index: number): string {
  const end = endsAt === null ? 'valid until dropped' : `valid until ${endsAt.toISOString()}`;
  return `since ${cts.toISOString()}  ${index === 0 ? 'signs' : end}`;
}

const MOVE_STEPS: Record<string, string> = {
  paused: 'moving: its messages wait',
  closed: 'moving: closed',
  moved: 'moved away: these rows are out of service',
  arriving: 'arriving from another server',
};

const describeStoreSize = ({ rows, bytes }: StoreSize): string =>
  `about ${rows.toLocaleString('en')} rows, ${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return yesNo(value);
  if (Array.isArray(value)) return value.join(', ') || 'none';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'none';
}

/** One line for each key and setting. Settings without a line of their own show their raw values. */
export function describeStore(store: StoreListing): string {
  const { pid, name, keys, tokenKeys, isDemo, maintenance, moveStep, size, pacing, ...settings } = store;
  const { listTypes, inventoryManaged, allowedOrigins, shareUrl, doubleOptIn, ...more } = settings;
  const { defaultRegion, measureAlerts, attributionDays, mergedSessions, restoreDays, ...brand } = more;
  const { logoUrl, colour, senderName, senderAddress, postalAddress, imprintUrl, ...prices } = brand;
  const { currency, locale, rateLimits, ...others } = prices;
  const { digestSeconds, quietFrom, quietTo, timeZone = 'UTC', dailyCap } = pacing as SendingSchedule;
  const limits = Object.entries(rateLimits as RateLimits).map(([kind, limit]) => `${kind}=${limit}`);
  const sender = `${senderName ?? name}${senderAddress === null ? '' : `, replies to ${senderAddress}`}`;
  const step = moveStep === null ? '' : ` (${MOVE_STEPS[moveStep] ?? moveStep})`;
  const marks = `${isDemo ? ' (demo)' : ''}${maintenance ? ' (closed for maintenance)' : ''}${step}`;
  const rows = [
    ['pid', pid],
    ['size', size === null ? 'small, or not analyzed yet' : describeStoreSize(size)],
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
    ['share URL', shareUrl ?? "this service's page"],
    ['double opt-in', yesNo(doubleOptIn)],
    ['default region', defaultRegion ?? 'none: phone numbers need a country code'],
    [
      'digest',
      digestSeconds === undefined
        ? 'none: each alert is sent separately'
        : `combines alerts within ${digestSeconds} s`,
    ],
    ['quiet hours', quietFrom === undefined ? 'none' : `${quietFrom} to ${quietTo} (${timeZone})`],
    ['daily cap', dailyCap === undefined ? 'none' : `${dailyCap} messages per contact`],
    ['clicks', measureAlerts ? `tracked, orders attributed for ${attributionDays} days` : 'not tracked'],
    ['merged sessions', mergedSessions ? 'open the account' : 'end'],
    ['deleted lists', restoreDays > 0 ? `can be restored for ${restoreDays} days` : 'cannot be restored'],
    ['logo', logoUrl ?? 'none: messages and pages show the store name'],
    ['colour', colour ?? 'default (dark)'],
    ['sender', sender],
    ['postal address', postalAddress?.replaceAll('\n', ', ') ?? 'none'],
    ['legal notice', imprintUrl ?? 'none'],
    ['prices', `${currency ?? 'plain numbers'}, formatted for ${locale}`],
    ['time zone', timeZone],
    ['rate limits', limits.join(', ') || 'default'],
  ];
  return [`${name}${marks}`, ...rows.map(([label = '', text]) => `  ${label.padEnd(17)} ${text}`)].join('\n');
}
