import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { splitList } from '../platform/text.ts';

/** What HAProxy can read of a call or a link: the store's id, or its number in short links. */
const keysOf = ({ pid, linkNo }: { pid: string; linkNo: number }): string[] => [pid, linkNo.toString(36)];

export type MappedStore = Parameters<typeof keysOf>[0];

/** The lines of a store in HAProxy's map (examples/proxy/stores.map). */
export const mapLines = (store: MappedStore, backend: string): string[] =>
  keysOf(store).map((key) => `${key} ${backend}`);

/** One command of the Runtime API; `address` is a path, or host:port. */
async function ask(address: string, command: string): Promise<string> {
  const [, host, port] = /^(?:tcp:\/\/)?([^/]+):(\d+)$/.exec(address) ?? [];
  const socket = host === undefined ? connect(address) : connect(Number(port), host);
  socket.setTimeout(2_000, () => socket.destroy(new Error('it does not respond')));
  await once(socket, 'connect');
  socket.end(`${command}\n`);
  return (await text(socket)).trim();
}

/** The maps that all HAProxys of HAPROXY_SOCKET have loaded from a file `stores.map`; throws where one has none, before a move begins. */
export async function findMaps(addresses: string | null) {
  const found = splitList(addresses ?? '').map(async (address) => {
    const maps = await ask(address, 'show map').catch((error: Error) => {
      throw new Error(`HAProxy cannot be reached at ${address} (HAPROXY_SOCKET): ${error.message}`, {
        cause: error,
      });
    });
    const [, id] = /^(\d+) \((?:\S*\/)?stores\.map\)/m.exec(maps) ?? [];
    if (id === undefined)
      throw new Error(`HAProxy at ${address} has no map stores.map: see examples/proxy/stores.cfg`);
    return { address, id: `#${id}` };
  });
  return Promise.all(found);
}

type LoadedMap = Awaited<ReturnType<typeof findMaps>>[number];

async function changeMap({ address, id }: LoadedMap, store: MappedStore, backend: string): Promise<void> {
  for (const key of keysOf(store)) {
    const reply = await ask(address, `set map ${id} ${key} ${backend}`);
    if (reply !== '') await ask(address, `add map ${id} ${key} ${backend}`);
    const entry = await ask(address, `get map ${id} ${key}`);
    if (!entry.includes(`value="${backend}"`)) throw new Error(entry || 'no entry');
  }
}

/**
 * Sends a store's calls and links to another back end; HAProxy forgets it at its next reload, so the file needs the lines, too. Says which
 * HAProxys did not take the change; the others have it.
 */
export async function mapStore(
  maps: readonly LoadedMap[],
  store: MappedStore,
  backend: string,
  say: (line: string) => void,
): Promise<void> {
  const changes = maps.map((map) =>
    changeMap(map, store, backend).catch((error: Error) =>
      say(
        `HAProxy at ${map.address} did not take the change (${error.message}): add the lines below to its map`,
      ),
    ),
  );
  await Promise.all(changes);
}
