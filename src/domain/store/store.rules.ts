import { fail } from '../../shared/errors.ts';
import { hasControlCharacters } from '../../shared/text.ts';
import type { StoreSettings } from './store.repo.ts';

const LIST_TYPE = /^[A-Za-z0-9_-]{1,32}$/;
const BUILT_IN_TYPES = new Set(['wl', 'sfl']);
const LIMIT_KINDS = new Set(['key', 'shopper', 'address']);

/** Whether a text is the origin of a web page, as a browser sends it. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}

function checkShareUrl(url: string): string {
  const probe = url.replaceAll('{lid}', 'x');
  const isFine = URL.canParse(probe) && /^https?:/.test(probe) && url.length <= 1_000;
  return isFine
    ? url
    : fail('invalid-request', 'share-url must be an http(s) address; {lid} in it stands for the list id');
}

/** Settings as they will be stored, or the failure that names the wrong one. */
export function checkSettings(settings: StoreSettings): StoreSettings {
  const { name, listTypes, allowedOrigins, shareUrl, rateLimits } = settings;
  if (name !== undefined && (name.trim() === '' || name.length > 100 || hasControlCharacters(name))) {
    fail('invalid-request', 'name must have 1 to 100 printable characters');
  }
  const badType = listTypes?.find((type) => !LIST_TYPE.test(type) || BUILT_IN_TYPES.has(type));
  if (badType !== undefined)
    fail(
      'invalid-request',
      `list-types: "${badType}" must have 1 to 32 of A-Z a-z 0-9 _ - and not be wl or sfl`,
    );
  const badOrigin = allowedOrigins?.find((origin) => !isOrigin(origin));
  if (badOrigin !== undefined)
    fail('invalid-request', `allowed-origins: "${badOrigin}" is not an origin such as https://shop.example`);
  if (shareUrl) checkShareUrl(shareUrl);
  for (const [kind, limit] of Object.entries(rateLimits ?? {})) {
    const isFine = LIMIT_KINDS.has(kind) && Number.isInteger(limit) && limit > 0;
    if (!isFine)
      fail('invalid-request', 'rate-limits must be key=N, shopper=N or address=N with N requests a minute');
  }
  return name === undefined ? settings : { ...settings, name: name.trim() };
}
