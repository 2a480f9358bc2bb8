import type { FormField, IntField } from '../platform/fields.ts';

/** The check of a text, or of each text in a list; setting.rules.ts implements the checks. */
export type TextCheck =
  | ('line' | 'lines' | 'url' | 'listType' | 'origin' | 'shareUrl' | 'region')
  | ('time' | 'timeZone' | 'colour' | 'email' | 'currency' | 'locale')
  | ('jwksUri' | 'algorithm' | 'claims' | 'shopifyDomain');

export type SettingCard = 'general' | 'identity' | 'lists' | 'brand' | 'frequency' | 'clicks';

type SettingKind =
  | IntField
  | { kind: 'flag' }
  | { kind: 'text'; check: TextCheck; max?: number; initial?: string | null }
  | { kind: 'list'; check: TextCheck; max: number }
  | { kind: 'rateLimits' };

/** A setting with an `initial` value; one that is initially null can be cleared. */
export type Setting = SettingKind & {
  /** The JSON column that stores it; the setting has its own column if omitted. */
  within?: 'pacing';
  cli: {
    help: string;
    /** Placeholder of the value in the help. */
    value?: string;
    /** Help of the `--no-…` flag, which clears the setting; there is no such flag if omitted. */
    off?: string;
    /** Name of the flag that turns the setting off. */
    inverse?: string;
  };
  /** The setting's field in the dashboard; without one, only operators can change it. */
  form?: FormField & { card: SettingCard };
};
