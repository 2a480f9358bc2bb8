import { createLogger } from '../../src/platform/log.ts';

/** What a logger writes of a failure. */
function logged(message: string): string {
  const lines: string[] = [];
  createLogger('warn', { write: (line) => void lines.push(line) }).warn({ err: new Error(message) }, 'x');
  return (JSON.parse(lines[0]!) as { err: { message: string } }).err.message;
}

test('addresses, phone numbers and long tokens are hidden in what a log quotes', () => {
  const quoted = logged(`550 <ada@example.com> +49 151 23456789 ${'k'.repeat(43)} no such user`);
  expect(quoted).toBe('550 <[hidden]> [hidden] [hidden] no such user');
});

test('a text without end neither holds up the process nor fills the log, and no cut secret is left', () => {
  for (const part of ['!', '1.', '!@', 'k', '1 (', '@'])
    expect(logged(`${'word '.repeat(10)}${part.repeat(1_000_000)}`).length).toBeLessThan(3_000);
  expect(logged(`${'word '.repeat(396)}${'k'.repeat(43)} end`)).toMatch(/word …$/);
});
