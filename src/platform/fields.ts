/** How a form of the dashboard shows a field. */
export type FormField = {
  label: string;
  hint?: string;
  placeholder?: string;
  /** The input, where the kind of the field does not say it. */
  as?: 'time' | 'url' | 'email' | 'timeZone' | 'currency';
  /** Seconds of the unit in which people type a span of time: 60 shows minutes. */
  unitSeconds?: 60 | 3_600;
  /** The number that an empty field stands for; null where the field can be null. */
  emptyIs?: number;
};

/** A whole number and its limits; one that is null at first can be cleared. */
export type IntField = {
  kind: 'int';
  initial: number | null;
  min: number;
  max: number;
  /** What follows the name in the error, where it says more than the limits. */
  rule?: string;
};

/** What follows the name of a number in the error. */
export function intRule({ min, max, rule, initial }: IntField): string {
  return rule ?? `must be a whole number from ${min} to ${max}${initial === null ? ' or null' : ''}`;
}

export function isIntIn({ min, max }: IntField, value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}
