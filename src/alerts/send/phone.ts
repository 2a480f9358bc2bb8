import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { CountryCode } from 'libphonenumber-js';
import { hasControlCharacters } from '../../platform/text.ts';
import type { Channel, Region } from './channel.ts';

/** Returns the number in E.164 form, or null; without a country code it is a national number of the region. */
function read(text: string, region: Region): string | null {
  const international = text.trim().replace(/^00/, '+');
  const isSane = text.length <= 50 && !hasControlCharacters(text);
  const country = (region ?? undefined) as CountryCode | undefined;
  const number = isSane ? parsePhoneNumberFromString(international, country) : undefined;
  return number?.isValid() && number.ext === undefined ? number.number : null;
}

export const phone = {
  label: 'Phone number',
  sample: '+1 415 555 2671',
  rule: (region) =>
    region === null
      ? 'a phone number with its country code, such as +4930123456; without a country code, the store needs the setting defaultRegion'
      : `a phone number of ${region}, or a number with its country code, such as +4930123456`,
  read,
  mask: (value) => `${value.slice(0, 3)}***${value.slice(-2)}`,
  of: ({ m }, region) => read(m ?? '', region),
  // Providers assign and charge numbers in blocks of a thousand.
  rangeOf: (value) => value.slice(0, -3),
} satisfies Channel['contact'];
