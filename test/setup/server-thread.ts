import { once } from 'node:events';
import { parentPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { startTestServer } from './server.ts';

/** Starts PostgreSQL, says where it is, and stops it at the first message. A failure ends the thread. */
async function serve(port: MessagePort): Promise<void> {
  const { stop, ...server } = await startTestServer();
  port.postMessage(server);
  await once(port, 'message');
  await stop();
  port.close();
}

if (parentPort) void serve(parentPort);
