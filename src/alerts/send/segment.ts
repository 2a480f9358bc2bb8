/** Characters of the GSM alphabet (3GPP 23.038) that a text message carries in seven bits. */
const GSM = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** The same, which take two places. */
const GSM_EXTENDED = new Set('^{}\\[~]|€');

/** Most places of a message that is one: in seven bits a character, or in sixteen where one is not of the alphabet. */
const ONE_SEGMENT = { gsm: 160, wide: 70 };

/** Typographic signs with one of the alphabet that says the same; one of them would halve what a message holds. */
const PLAIN: Record<string, string> = {
  '\u00a0': ' ',
  '\u202f': ' ',
  '\u2009': ' ',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '–': '-',
  '—': '-',
  '−': '-',
  '…': '...',
  '×': 'x',
  '·': '-',
};

const isGsm = (text: string): boolean =>
  [...text].every((character) => GSM.has(character) || GSM_EXTENDED.has(character));

/** The text in the alphabet of text messages, where plain signs are all it takes; else as it is. */
export function toSegment(text: string): string {
  const plain = [...text].map((character) => PLAIN[character] ?? character).join('');
  return isGsm(plain) ? plain : text;
}

/** By how many places a text is too long to leave as one message; 0 where it is not. */
export function excessOf(text: string): number {
  if (!isGsm(text)) return Math.max(0, text.length - ONE_SEGMENT.wide);
  const places = [...text].reduce((sum, character) => sum + (GSM_EXTENDED.has(character) ? 2 : 1), 0);
  return Math.max(0, places - ONE_SEGMENT.gsm);
}
