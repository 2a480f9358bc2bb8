import validator from 'validator';
import { hasControlCharacters } from './text.ts';

/** Whether a text is an e-mail address that mail can be sent to. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && !hasControlCharacters(text) && validator.isEmail(text);
}
