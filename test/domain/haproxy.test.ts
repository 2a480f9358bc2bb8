import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { findMaps, mapStore } from '../../src/cli/haproxy.ts';

const opened: Server[] = [];
afterEach(() => opened.splice(0).forEach((server) => server.close()));

/** The Runtime API of a HAProxy with an empty map; one that `fails` resets the connection of a change. */
async function startApi({ fails = false } = {}) {
  const map = new Map<string, string>();
  const answer = (command: string): string => {
    const [verb, , , key = '', backend = ''] = command.split(' ');
    if (verb === 'show') return '-1 (/etc/other.map) pattern\n7 (/etc/haproxy/stores.map) pattern';
    if (verb === 'set' && !map.has(key)) return 'entry not found.';
    if (verb === 'get') return `type=str, case=sensitive, found=yes, key="${key}", value="${map.get(key)}"`;
    map.set(key, backend);
    return '';
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket
      .on('error', () => undefined)
      .once('data', (data) => {
        const command = data.toString().trim();
        if (fails && !command.startsWith('show')) socket.resetAndDestroy();
        else socket.end(`${answer(command)}\n\n`);
      });
  });
  opened.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return { map, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a HAProxy that fails after the check is named, and the others route the store to its new back end', async () => {
  const [first, broken, last] = [await startApi(), await startApi({ fails: true }), await startApi()];
  const maps = await findMaps([first, broken, last].map(({ address }) => address).join(','));
  const said: string[] = [];
  await mapStore(maps, { pid: 'store', linkNo: 71 }, 's2', (line) => said.push(line));
  expect(said).toEqual([expect.stringContaining(`HAProxy at ${broken.address} did not take the change`)]);
  for (const { map } of [first, last]) expect(Object.fromEntries(map)).toEqual({ store: 's2', '1z': 's2' });
  expect(broken.map.size).toBe(0);
});
