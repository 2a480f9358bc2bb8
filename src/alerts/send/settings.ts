import { z } from 'zod';

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'it must be a complete URL that starts with http:// or https://' })
  .transform((url) => url.replace(/\/+$/, ''));

/** Requires all of these variables or none, because a partial configuration must fail at startup, not with the first message. */
export function together<Name extends string>(env: Record<string, unknown>, ...names: Name[]) {
  const missing = names.filter((name) => env[name] === undefined);
  if (missing.length === names.length) return null;
  const given = names.filter((name) => !missing.includes(name));
  if (missing.length > 0)
    throw new Error(`${missing[0]} is missing: it is needed with ${given.join(' and ')} (see .env.example)`);
  return env as { [Key in Name]: string };
}
