import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

test('every package of an installation is listed in THIRD_PARTY.md with a licence that is allowed', () => {
  const tool = fileURLToPath(new URL('../../tools/licences.mjs', import.meta.url));
  expect(execFileSync(process.execPath, [tool], { encoding: 'utf8' })).toMatch(
    /^\d+ packages, all with licences/,
  );
});
