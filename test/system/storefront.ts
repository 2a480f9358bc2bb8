import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { filledBy } from '../harness.ts';
import type { StoreAccess, TestService } from '../harness.ts';

const SERVER = fileURLToPath(new URL('../../examples/storefront/server.mjs', import.meta.url));

/** The storefront example as a shop of this store, in a process of its own for all tests of a file. */
export function useStorefront(
  service: TestService,
  store: StoreAccess,
): { child: ChildProcess; url: string } {
  let child: ChildProcess | undefined;
  afterAll(() => void child?.kill());
  return filledBy(beforeAll, async () => {
    const env = {
      PATH: process.env['PATH'],
      PORT: '0',
      WISHGATE_URL: service.url,
      WISHGATE_PID: store.pid,
      WISHGATE_API_KEY: store.apiKey,
    };
    child = spawn(process.execPath, [SERVER], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    return { child, url: /http:\S+/.exec(line.toString())![0] };
  });
}
