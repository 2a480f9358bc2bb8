/** Characters of the GSM alphabet (3GPP 23.038), which an SMS carries in seven bits. */
const GSM = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** GSM characters that take two places. */
const GSM_EXTENDED = new Set('^{}\\[~]|€');

/** The capacity of a single segment: seven bits a character, or sixteen if one character is outside the alphabet. */
const ONE_SEGMENT = { gsm: 160, wide: 70 };

/** GSM equivalents of typographic characters; a single character outside the alphabet would halve the capacity of an SMS. */
const PLAIN: readonly [RegExp, string][] = [
  [/[\u00a0\u202f\u2009]/g, ' '],
  [/[‘’]/g, "'"],
  [/[“”„]/g, '"'],
  [/[–—−·]/g, '-'],
  [/…/g, '...'],
  [/×/g, 'x'],
];

const isGsm = (text: string): boolean =>
  [...text].every((character) => GSM.has(character) || GSM_EXTENDED.has(character));

/** Returns the text in the GSM alphabet if replacing typographic characters is enough; otherwise unchanged. */
export function toSegment(text: string): string {
  const plain = PLAIN.reduce((rest, [typographic, gsm]) => rest.replace(typographic, gsm), text);
  return isGsm(plain) ? plain : text;
}

/** By how many places a text exceeds a single segment; 0 if it fits. */
export function excessOf(text: string): number {
  if (!isGsm(text)) return Math.max(0, text.length - ONE_SEGMENT.wide);
  const places = [...text].reduce((sum, character) => sum + (GSM_EXTENDED.has(character) ? 2 : 1), 0);
  return Math.max(0, places - ONE_SEGMENT.gsm);
}
