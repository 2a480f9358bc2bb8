import validator from 'validator';
import { hasControlCharacters } from './text.ts';

const ASCII = /\p{ASCII}+/gu;

/** Whether lower case makes ASCII of other letters, such as the Kelvin sign: `ban\u212A@…` would become another person's `bank@…`. */
function becomesAscii(text: string): boolean {
  return text.replace(ASCII, '').toLowerCase().search(ASCII) !== -1;
}

/** Whether a text is an e-mail address that mail can be sent to. The library throws at half a character. */
export function isEmail(text: string): boolean {
  return (
    text.length <= 254 &&
    !hasControlCharacters(text) &&
    text.isWellFormed() &&
    !becomesAscii(text) &&
    validator.isEmail(text)
  );
}

/** An e-mail address in the one form that people are known by, trimmed and in lower case; null where it is none. */
export function readEmail(text: string): string | null {
  const email = text.trim();
  return isEmail(email) ? email.toLowerCase() : null;
}
