export type FormField = {
  /** A sample, which is the same in every language. */
  placeholder?: string;
  as?: 'time' | 'url' | 'email' | 'timeZone' | 'currency' | 'lines';
  /** Seconds per unit in which people enter a duration: 60 shows minutes. */
  unitSeconds?: 60 | 3_600;
  /** The number that an empty field means; null where the field is nullable. */
  emptyIs?: number;
};

/** A whole number and its limits; one that is initially null can be cleared. */
export type IntField = {
  kind: 'int';
  initial: number | null;
  min: number;
  max: number;
  /** Follows the field's name in the error, where it says more than the limits. */
  rule?: string;
};

export function intRule({ min, max, rule, initial }: IntField): string {
  return rule ?? `must be a whole number from ${min} to ${max}${initial === null ? ' or null' : ''}`;
}

export function isIntIn({ min, max }: IntField, value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}
