import { readFile } from 'node:fs/promises';

async function rulesOf(file: string): Promise<string[]> {
  const text = await readFile(new URL(`../../examples/${file}`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^(http-request (set-var\(txn\.store\)|wait-for-body)|acl page) /.test(line));
}

test('both HAProxy examples find the store of a call or a link by the same rules', async () => {
  const rules = await rulesOf('proxy/stores.cfg');
  expect(rules.length).toBeGreaterThan(10);
  expect(await rulesOf('cluster/haproxy.cfg')).toEqual(rules);
});
