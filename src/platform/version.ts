import { readFileSync } from 'node:fs';
import { ROOT } from './places.ts';

export const { version: VERSION, repository: REPOSITORY } = JSON.parse(
  readFileSync(new URL('package.json', ROOT), 'utf8'),
) as Record<'version' | 'repository', string>;
