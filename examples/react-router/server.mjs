// Serves the built shop: WISHGATE_URL=http://127.0.0.1:4000 WISHGATE_PID=… WISHGATE_API_KEY=… node server.mjs
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequestListener } from '@react-router/node';

if (!process.env['WISHGATE_PID'] || !process.env['WISHGATE_API_KEY']) {
  console.error(
    'Set WISHGATE_PID and WISHGATE_API_KEY. The service prints those of its demo store when it starts.',
  );
  process.exit(1);
}

const build = await import(new URL('build/server/index.js', import.meta.url).href);
const render = createRequestListener({ build });

const server = createServer(async (request, response) => {
  const [, name] = /^\/assets\/([\w.-]+\.js)$/.exec(request.url ?? '') ?? [];
  if (!name) return render(request, response);
  try {
    const script = await readFile(new URL(`build/client/assets/${name}`, import.meta.url));
    return response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(script);
  } catch {
    return response.writeHead(404).end();
  }
});
server.listen(Number(process.env['PORT'] ?? '5000'), '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object')
    console.log(`The shop is at http://127.0.0.1:${address.port}`);
});
