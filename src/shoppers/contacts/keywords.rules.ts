/** What the alerts of the built-in topics are, in words that people read. */
const WORDS: Record<string, string> = {
  backinstock: 'back-in-stock',
  comingsoon: 'coming-soon',
  pricedrop: 'price-drop',
  lowstock: 'low-stock',
  wishlistrestock: 'wishlist restock',
};

/** The alerts of a topic in words; those of a store's own topic by its name. */
export function topicWords(topic: string): string {
  return builtInWords(topic) ?? `“${topic}”`;
}

/** The same for a built-in topic; null for another. */
export function builtInWords(topic: string): string | null {
  return Object.hasOwn(WORDS, topic) ? WORDS[topic]! : null;
}

/** Several of them as a sentence has them. */
export function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
