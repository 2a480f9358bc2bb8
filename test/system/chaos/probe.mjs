import { setImmediate } from 'node:timers/promises';

// Loaded into a service before it starts: tells on request what the process holds, after collecting what nobody holds any more.
const databasePort = Number(new URL(process.env.DATABASE_URL).port);

process.on('message', async () => {
  // One collection leaves what waits for finalizers, and memory outside of the heap that is freed beside it.
  for (let times = 0; times < 4; times += 1) {
    globalThis.gc();
    await setImmediate();
  }
  const resources = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const sockets = process
    ._getActiveHandles()
    .filter(({ remotePort }) => remotePort !== undefined && remotePort !== databasePort).length;
  const { heapUsed, rss, external } = process.memoryUsage();
  process.send({ heapMb: (heapUsed + external) / 1e6, rssMb: rss / 1e6, resources, sockets });
});
// The channel alone keeps no process alive.
process.channel.unref();
