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
  /** From now on. Connections that were half-open stay so for ever: that is what a lost peer looks like. */
  setWeather(weather: Weather): void;
  /** Resets all connections. */
  cut(): void;
  close(): Promise<void>;
};

const SLOW_MS = 120;

/** Starts it before a port of this machine. */
export async function startFaultProxy(target: number): Promise<FaultProxy> {
  let weather: Weather = 'clear';
  const sockets = new Map<Socket, { isDeaf: boolean }>();

  /** Hands on what comes, in order, as the weather is when it comes. */
  const pipe = (from: Socket, to: Socket, pair: { isDeaf: boolean }): void => {
    let last = Promise.resolve();
    from.on('data', (chunk) => {
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
    const pair = { isDeaf: weather === 'half-open' };
    sockets.set(client, pair);
    if (pair.isDeaf) return void client.on('error', () => undefined).on('data', () => undefined);
    const upstream = connect(proxy.target, '127.0.0.1');
    sockets.set(upstream, pair);
    pipe(client.setNoDelay(), upstream.setNoDelay(), pair);
    pipe(upstream, client, pair);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: FaultProxy = {
    port: (server.address() as AddressInfo).port,
    target,
    setWeather(next) {
      weather = next;
      if (next === 'half-open') for (const pair of sockets.values()) pair.isDeaf = true;
    },
    cut: () => sockets.forEach((_pair, socket) => socket.resetAndDestroy()),
    async close() {
      proxy.cut();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
