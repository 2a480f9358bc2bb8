// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
// The joiners U+200C and U+200D are not included, because emoji and whole scripts need them.
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** A line break or another control character could break a header, a log or a page. */
export function hasControlCharacters(text: string): boolean {
  return text.search(CONTROLS) !== -1;
}

/** Counts as a person does: code points of the NFC form, so that an emoji or an accent is one character. */
export function codePoints(text: string): number {
  return [...text.normalize('NFC')].length;
}

/** PostgreSQL refuses NUL, and a lone surrogate is not Unicode. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Whether a text is one line of at most `max` characters that can be stored. */
export function isLine(text: string, max: number): boolean {
  return codePoints(text) <= max && !hasControlCharacters(text) && isStorable(text);
}

/** The entries of a text that separates them by commas. */
export function splitList(text: string): string[] {
  const entries = text.trim().split(/\s*,\s*/);
  return entries.filter(Boolean);
}

/** Makes one line for an email header, without invisible characters that reorder or hide the text around them. */
export function toLine(text: string): string {
  return text.replace(CONTROLS, ' ').replace(INVISIBLE, '').trim();
}

/** Cuts a text to `most` characters, at the end of a word if one is near, and adds an ellipsis. */
export function shorten(text: string, most: number, ellipsis = '…'): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const start = characters.slice(0, Math.max(1, most - ellipsis.length)).join('');
  const end = start.search(/\s\S*$/);
  return `${(end > start.length / 2 ? start.slice(0, end) : start).trimEnd()}${ellipsis}`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

export const DEFAULT_COLOUR = '#1f2937';

const LIGHT = '#ffffff';
const DARK = '#000000';

/** Relative luminance of `#rrggbb` (WCAG 2). */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Returns a text colour with a contrast of at least 4.5 to 1 on `colour`. */
export function textOn(colour: string): string {
  return contrastOf(colour, LIGHT) >= contrastOf(colour, DARK) ? LIGHT : DARK;
}
