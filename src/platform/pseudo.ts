/** The part of a parsed ICU message that matters here; texts have type 0, plurals and selections have options. */
type Element = { type: number; value?: unknown; options?: Record<string, { value: Element[] }> };

const PLAIN = 'aeiouycdghklnrstwzAEIOUYCDGHKLNRSTWZ';
const ACCENTED = 'åéíöûýçðğĥķļñŕšţŵžÅÉÎÖÛÝÇÐĞĤĶĻÑŔŠŢŴŽ';

/** Vowels are doubled, which makes a text about 40 % longer, as German is. */
const accent = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const accented = ACCENTED[PLAIN.indexOf(letter)] ?? letter;
    return /[aeiou]/i.test(letter) ? accented + accented : accented;
  });

const turn = (text: string): string => text.replace(/\S+/g, '\u202e$&\u202c');

/** Languages that exist for tests only: one with long words in brackets, one that is written from right to left. */
const PSEUDO: Record<string, { text: (text: string) => string; ends: [string, string] }> = {
  'en-XA': { text: accent, ends: ['⟦', '⟧'] },
  'ar-XB': { text: turn, ends: ['\u200f', '\u200f'] },
};

export const PSEUDO_LANGUAGES = Object.keys(PSEUDO);

/** Turns a parsed English message into one of a pseudo-language; placeholders and the syntax of plurals stay. */
export function pseudoMessage<Message extends Element>(elements: readonly Message[], tag: string): Message[] {
  const { text, ends } = PSEUDO[tag]!;
  const change = (element: Element): Element => {
    const { type, value, options } = element;
    if (type === 0) return { ...element, value: text(String(value)) };
    if (!options) return element;
    const changed = Object.entries(options).map(([name, option]) => [
      name,
      { ...option, value: option.value.map(change) },
    ]);
    return { ...element, options: Object.fromEntries(changed) as Element['options'] };
  };
  const [first, last] = ends.map((value) => ({ type: 0, value }));
  return [first, ...elements.map(change), last] as Message[];
}
