import validator from 'validator';
import { hasControlCharacters } from './text.ts';

const ASCII = /\p{ASCII}+/gu;

/** Lower case turns some letters into ASCII, such as the Kelvin sign: `ban\u212A@…` would become another person's `bank@…`. */
function becomesAscii(text: string): boolean {
  return text.replace(ASCII, '').toLowerCase().search(ASCII) !== -1;
}

/** The library throws at a lone surrogate, so the text is checked first. */
export function isEmail(text: string): boolean {
  return (
    text.length <= 254 &&
    !hasControlCharacters(text) &&
    text.isWellFormed() &&
    !becomesAscii(text) &&
    validator.isEmail(text)
  );
}

/** Returns the canonical form of an email address, trimmed and in lower case; null if the text is not one. */
export function readEmail(text: string): string | null {
  const email = text.trim();
  return isEmail(email) ? email.toLowerCase() : null;
}
