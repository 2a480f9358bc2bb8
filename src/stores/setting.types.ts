import type { FormField, IntField } from '../platform/fields.ts';

/** How a text, or each text of a list, is checked; setting.rules.ts has the checks. */
export type TextCheck =
  | ('line' | 'url' | 'listType' | 'origin' | 'shareUrl' | 'region')
  | ('time' | 'timeZone' | 'colour' | 'email' | 'currency' | 'locale');

export type SettingCard = 'general' | 'lists' | 'brand' | 'frequency' | 'clicks';

type Kind =
  | IntField
  | { kind: 'flag' }
  | { kind: 'text'; check: TextCheck; max?: number; initial?: string | null }
  | { kind: 'list'; check: TextCheck; max: number }
  | { kind: 'rateLimits' };

/** A setting of a store, with its `initial` value; one that is null at first can be cleared. */
export type Setting = Kind & {
  /** The JSON column that has it; a column of its own when left out. */
  within?: 'pacing';
  cli: {
    help: string;
    /** Placeholder of the value in the help. */
    value?: string;
    /** Help of `--no-…`, which clears it; there is no such flag when left out. */
    off?: string;
    /** The name of a flag that turns the setting off. */
    inverse?: string;
  };
  /** Its field in the dashboard; without one only operators can change it. */
  form?: FormField & { card: SettingCard };
};
