import { fail } from '../platform/errors.ts';

/** When a store's alerts leave, as it is stored; what is left out is off. */
export type Pacing = {
  /** How long an alert waits for others of its contact, which leave with it. */
  digestSeconds?: number;
  /** Local times, `HH:MM`, between which no alert leaves. */
  quietFrom?: string;
  quietTo?: string;
  /** IANA name of the zone of these times; UTC where it is left out. */
  timeZone?: string;
  /** Most messages with alerts that a contact gets within 24 hours. */
  dailyCap?: number;
};

/** What a store may say of it; null turns something off. */
export type PacingInput = {
  digestSeconds?: number;
  quietFrom?: string | null;
  quietTo?: string | null;
  timeZone?: string | null;
  dailyCap?: number | null;
};

const FIELDS = ['digestSeconds', 'quietFrom', 'quietTo', 'timeZone', 'dailyCap'] as const;

/** The name of a setting in the caller's words. */
type NameField = (field: keyof PacingInput) => string;

const MAX_DIGEST_SECONDS = 86_400;
const MAX_CAP = 1_000;
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

/** The zone's own spelling of its name; null for what is none. Offsets such as +02:00 know no summer time, so they are none. */
function zoneOf(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

const isCount = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most;

/** Whether a store paces at all. */
export function isPaced({ digestSeconds, quietFrom, dailyCap }: Pacing): boolean {
  return digestSeconds !== undefined || quietFrom !== undefined || dailyCap !== undefined;
}

/** Splits what concerns pacing from other settings; null where nothing does. */
export function splitPacing<Settings extends PacingInput>(
  settings: Settings,
): { pacing: PacingInput | null; rest: Omit<Settings, keyof PacingInput> } {
  const { digestSeconds, quietFrom, quietTo, timeZone, dailyCap, ...rest } = settings;
  const given = { digestSeconds, quietFrom, quietTo, timeZone, dailyCap };
  const pacing = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { pacing: Object.keys(pacing).length > 0 ? pacing : null, rest };
}

/** The pacing with some changes, as it will be stored, or the failure that names the wrong one. */
export function changePacing(before: Pacing, input: PacingInput, nameOf: NameField): Pacing {
  const { digestSeconds, timeZone, dailyCap } = input;
  if (digestSeconds !== undefined && !isCount(digestSeconds, 0, MAX_DIGEST_SECONDS))
    fail('invalid-request', `${nameOf('digestSeconds')} must be 0 (off) to ${MAX_DIGEST_SECONDS} seconds`);
  if (dailyCap != null && !isCount(dailyCap, 1, MAX_CAP))
    fail('invalid-request', `${nameOf('dailyCap')} must be 1 to ${MAX_CAP} messages in 24 hours`);
  for (const field of ['quietFrom', 'quietTo'] as const) {
    const time = input[field];
    if (time != null && !TIME_OF_DAY.test(time))
      fail('invalid-request', `${nameOf(field)} must be a time of day such as 22:00`);
  }
  const zone = timeZone == null ? timeZone : zoneOf(timeZone.trim());
  if (timeZone != null && zone == null)
    fail('invalid-request', `${nameOf('timeZone')} must be the name of a time zone such as Europe/Berlin`);
  const merged = { ...before, ...input, ...(zone !== undefined && { timeZone: zone }) };
  const entries = FIELDS.map((field) => [field, merged[field]] as const);
  const after = Object.fromEntries(entries.filter(([, value]) => value != null && value !== 0)) as Pacing;
  if ((after.quietFrom === undefined) !== (after.quietTo === undefined)) {
    const missing = after.quietFrom === undefined ? 'quietFrom' : 'quietTo';
    fail('invalid-request', `${nameOf(missing)} is missing: quiet hours have a beginning and an end`);
  }
  if (after.quietFrom !== undefined && after.quietFrom === after.quietTo)
    fail('invalid-request', `${nameOf('quietTo')} must be another time than ${nameOf('quietFrom')}`);
  return after;
}
