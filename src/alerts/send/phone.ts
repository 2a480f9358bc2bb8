import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { CountryCode } from 'libphonenumber-js';
import { hasControlCharacters } from '../../platform/text.ts';
import type { Channel, Region } from './channel.ts';

/** A phone number in E.164 form; null for what is none. One without a country code is read as people of the region dial it. */
function read(text: string, region: Region): string | null {
  const international = text.trim().replace(/^00/, '+');
  const isSane = text.length <= 50 && !hasControlCharacters(text);
  const country = (region ?? undefined) as CountryCode | undefined;
  const number = isSane ? parsePhoneNumberFromString(international, country) : undefined;
  return number?.isValid() && number.ext === undefined ? number.number : null;
}

const RANGE_DIGITS = 3;

/** The contact of every channel whose messages go to phones. */
export const phone = {
  label: 'Phone number',
  sample: '+1 415 555 2671',
  rule: (region) =>
    region === null
      ? 'a phone number with its country code, such as +4930123456; national ones need the store setting defaultRegion'
      : `a phone number of ${region}, or one with its country code, such as +4930123456`,
  read,
  mask: (value) => `${value.slice(0, 3)}***${value.slice(-2)}`,
  of: ({ m }, region) => read(m ?? '', region),
  // Providers hand out numbers, and charge for them, in blocks of a thousand.
  rangeOf: (value) => value.slice(0, -RANGE_DIGITS),
} satisfies Channel['contact'];
