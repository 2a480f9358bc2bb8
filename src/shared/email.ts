import validator from 'validator';
import { hasControlCharacters } from './text.ts';

/** Whether a text is an e-mail address that mail can be sent to. The library throws at half a character. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && !hasControlCharacters(text) && text.isWellFormed() && validator.isEmail(text);
}
