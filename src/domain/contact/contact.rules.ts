import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { fail } from '../../shared/errors.ts';
import { maskEmail } from '../../shared/mask.ts';
import { hasControlCharacters } from '../../shared/text.ts';
import { isEmail } from '../shopper/shopper.rules.ts';

/** How a contact is reached. */
export type Medium = 'email' | 'sms';

/** Whom to tell: an e-mail address in lower case or a phone number in E.164 form. */
export type Contact = { medium: Medium; value: string };

/** `email` or `sms`, or the failure `invalid-medium`. */
export function checkMedium(medium: string | null | undefined): Medium {
  return medium === 'email' || medium === 'sms'
    ? medium
    : fail('invalid-medium', 'medium must be email or sms');
}

/** A phone number in E.164 form; null for what is none, or has no country code. */
export function phoneOf(text: string): string | null {
  const international = text.trim().replace(/^00/, '+');
  const phone =
    text.length <= 50 && !hasControlCharacters(text) ? parsePhoneNumberFromString(international) : undefined;
  return phone?.isValid() && phone.ext === undefined ? phone.number : null;
}

/** A contact that fits its medium, or the failure `invalid-mediumvalue`. */
export function checkContact(medium: Medium, mediumvalue: string | null | undefined): Contact {
  const text = mediumvalue ?? '';
  if (medium === 'sms') {
    const value =
      phoneOf(text) ??
      fail(
        'invalid-mediumvalue',
        'mediumvalue must be a phone number with its country code, such as +4930123456',
      );
    return { medium, value };
  }
  const value = text.trim().toLowerCase();
  return isEmail(value)
    ? { medium, value }
    : fail('invalid-mediumvalue', 'mediumvalue must be an e-mail address');
}

/** A contact that its owner recognises and nobody else can use. */
export function maskContact(medium: string, value: string): string {
  return medium === 'email' ? maskEmail(value) : `${value.slice(0, 3)}***${value.slice(-2)}`;
}
