/** A text as JavaScript. */
export const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;

const isName = (key: string): boolean => /^[a-z_$][\w$]*$/i.test(key);

const MAX_LINE = 60;

/** Parts between brackets: on one line where they fit, else one below the other. */
function bracketed(open: string, parts: string[], close: string, indent: string): string {
  const gap = open === '{' ? ' ' : '';
  const line = parts.length > 0 ? `${open}${gap}${parts.join(', ')}${gap}${close}` : open + close;
  if (line.length + indent.length <= MAX_LINE && !line.includes('\n')) return line;
  const inner = `\n${indent}  `;
  return `${open}${inner}${parts.join(`,${inner}`)},\n${indent}${close}`;
}

/** A value of JSON as JavaScript, in the manner of people. */
export function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quoted(value);
  const next = `${indent}  `;
  if (Array.isArray(value))
    return bracketed(
      '[',
      value.map((one) => literal(one, next)),
      ']',
      indent,
    );
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(
    ([key, inner]) => `${isName(key) ? key : quoted(key)}: ${literal(inner, next)}`,
  );
  return bracketed('{', entries, '}', indent);
}
