import { readFileSync } from 'node:fs';

/** The version of this build; `src` and `dist` are both one level below the project root. */
export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };
