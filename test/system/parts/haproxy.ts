import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programOf } from './parts.ts';
import { freePort, makePartFolder, startPart } from './process.ts';

/** A HAProxy before several gateways. */
export type Proxy = {
  url: string;
  /** How many gateways it sends requests to. */
  countUp(): Promise<number>;
  output: () => string;
  stop(): Promise<void>;
};

const EXAMPLE = new URL('../../../examples/proxy/haproxy.cfg', import.meta.url);

/** Starts HAProxy with the configuration that is shipped; only its addresses are put in. */
export async function startHaproxy(gateways: readonly number[]): Promise<Proxy> {
  const [port, watchPort, folder] = [await freePort(), await freePort(), await makePartFolder()];
  const servers = gateways.map((gateway, index) => `    server gateway${index + 1} 127.0.0.1:${gateway}\n`);
  const text = (await readFile(EXAMPLE, 'utf8'))
    .replace('bind :80', `bind 127.0.0.1:${port}`)
    .replace('bind 127.0.0.1:8404', `bind 127.0.0.1:${watchPort}`)
    .replace(/( +server gateway\d .*\n)+/, servers.join(''));
  const file = join(folder.dir, 'haproxy.cfg');
  await writeFile(file, text, { mode: 0o644 });
  const proxy = await startPart(programOf('HAProxy'), ['-f', file], port);
  return {
    url: `http://127.0.0.1:${port}`,
    async countUp() {
      const table = await (await fetch(`http://127.0.0.1:${watchPort}/;csv`)).text();
      return table.split('\n').filter((row) => /^gateways,gateway\d,.*,UP,/.test(row)).length;
    },
    output: proxy.output,
    async stop() {
      await proxy.stop('SIGKILL');
      await folder.remove();
    },
  };
}
