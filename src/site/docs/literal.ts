/** A text as JavaScript. */
export const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;

const isName = (key: string): boolean => /^[a-z_$][\w$]*$/i.test(key);

/** A value of JSON as JavaScript, in the manner of people. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(
    ([key, inner]) => `${isName(key) ? key : quoted(key)}: ${literal(inner)}`,
  );
  return entries.length > 0 ? `{ ${entries.join(', ')} }` : '{}';
}
