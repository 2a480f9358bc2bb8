import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** What a network does to connections: nothing, hold every packet up, or take everything and answer nothing. */
export type Weather = 'clear' | 'slow' | 'half-open';

/** A network between a service and its database that can be made bad. */
export type FaultProxy = {
  port: number;
  /** Where new connections lead; a failover moves it. */
  target: number;
  /**
   * From now on, for all connections or for those whose client began with this text. Connections that were half-open stay so for ever: that is what
   * a lost peer looks like.
   */
  setWeather(weather: Weather, client?: string): void;
  /** Resets all connections. */
  cut(): void;
  /** Resets those that were half-open, as a peer does that is back. */
  cutHalfOpen(): void;
  close(): Promise<void>;
};

const SLOW_MS = 120;

/** What a client says first tells who it is: a start-up packet of PostgreSQL, or the headers of a request. */
const BEGINNING = 2_000;

type Pair = { isDeaf: boolean; beginning: string };

const HERE = '127.0.0.1';

/** Starts it before a port; at a free one of this machine unless told otherwise. */
export async function startFaultProxy(
  target: number,
  { host = HERE, at = { host: HERE, port: 0 } } = {},
): Promise<FaultProxy> {
  let weather: Weather = 'clear';
  let victim = '';
  const sockets = new Map<Socket, Pair>();
  const isHit = ({ beginning }: Pair): boolean => weather === 'half-open' && beginning.includes(victim);

  /** Hands on what comes, in order, as the weather is when it comes. */
  const pipe = (from: Socket, to: Socket, pair: Pair, isClient: boolean): void => {
    let last = Promise.resolve();
    from.on('data', (chunk) => {
      if (isClient && pair.beginning.length < BEGINNING) {
        pair.beginning += chunk.toString('latin1');
        pair.isDeaf ||= isHit(pair);
      }
      const delayMs = weather === 'slow' ? SLOW_MS : 0;
      last = last.then(async () => {
        if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
        if (!pair.isDeaf) to.write(chunk);
      });
    });
    from.on('close', () => {
      sockets.delete(from);
      if (!pair.isDeaf) void last.then(() => to.destroy());
    });
    from.on('error', () => undefined);
  };

  const server = createServer((client) => {
    const pair: Pair = { isDeaf: false, beginning: '' };
    pair.isDeaf = isHit(pair);
    sockets.set(client, pair);
    if (pair.isDeaf) return void client.on('error', () => undefined).on('data', () => undefined);
    const upstream = connect(proxy.target, host);
    sockets.set(upstream, pair);
    pipe(client.setNoDelay(), upstream.setNoDelay(), pair, true);
    pipe(upstream, client, pair, false);
  });
  server.listen(at);
  await once(server, 'listening');
  const proxy: FaultProxy = {
    port: (server.address() as AddressInfo).port,
    target,
    setWeather(next, client = '') {
      [weather, victim] = [next, client];
      for (const pair of sockets.values()) pair.isDeaf ||= isHit(pair);
    },
    cut: () => sockets.forEach((_pair, socket) => socket.resetAndDestroy()),
    cutHalfOpen: () => sockets.forEach(({ isDeaf }, socket) => isDeaf && socket.resetAndDestroy()),
    async close() {
      proxy.cut();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
