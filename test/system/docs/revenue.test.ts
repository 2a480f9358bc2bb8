import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { useService } from '../../harness.ts';

const PAGE = fileURLToPath(new URL('../../../docs/revenue.md', import.meta.url));

const service = useService();

test('every example of docs/revenue.md runs, and answers what the page says', async () => {
  const page = await readFile(PAGE, 'utf8');
  const blocks = (language: string): string[] =>
    [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
      ([, code]) => code!,
    );
  const { pid, apiKey } = await service.createStore();
  const env = { ...process.env, BASE: service.url, PID: pid, KEY: apiKey };
  const [report, read] = blocks('bash');
  const run = async (code: string): Promise<string> =>
    (await promisify(execFile)('bash', ['-ec', code.replaceAll('curl ', 'curl -sf ')], { env })).stdout;
  const answer = JSON.parse(await run(report!)) as { orderedAt: number };
  const said = JSON.parse(blocks('json')[0]!) as object;
  expect(answer).toEqual({ ...said, orderedAt: answer.orderedAt });
  expect(await run(read!)).toContain('"totals":[{"currency":"EUR","amount":"39.80"');
});
