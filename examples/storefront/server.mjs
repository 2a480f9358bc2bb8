#!/usr/bin/env node
// A whole storefront in one small server without dependencies:
//   WISHGATE_URL=http://127.0.0.1:4000 WISHGATE_PID=… WISHGATE_API_KEY=… node server.mjs
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createBackend } from './backend.mjs';
import { createRoutes } from './routes.mjs';

const { WISHGATE_URL = 'http://127.0.0.1:4000', WISHGATE_PID, WISHGATE_API_KEY, PORT = '5000' } = process.env;
if (!WISHGATE_PID || !WISHGATE_API_KEY) {
  console.error(
    'Set WISHGATE_PID and WISHGATE_API_KEY. The service prints those of its demo store when it starts.',
  );
  process.exit(1);
}

const MAX_BODY_BYTES = 10_000;
const backend = createBackend({ baseUrl: WISHGATE_URL, pid: WISHGATE_PID, apiKey: WISHGATE_API_KEY });
const handle = createRoutes(backend, { secret: randomBytes(32).toString('hex') });
// The page gets only what is public: the service's URL and the store's pid.
const page = readFileSync(new URL('index.html', import.meta.url), 'utf8')
  .replaceAll('{{baseUrl}}', WISHGATE_URL)
  .replaceAll('{{pid}}', WISHGATE_PID);

async function readJson(request) {
  // Browsers send JSON to another origin only after a preflight, which this server never allows.
  if (!/^application\/json/.test(request.headers['content-type'] ?? '')) return null;
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > MAX_BODY_BYTES) return null;
  }
  try {
    return JSON.parse(text || '{}');
  } catch {
    return null;
  }
}

async function respond(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  if (request.method === 'GET' && pathname === '/') {
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  }
  const body = await readJson(request);
  const path = pathname.replace('/api/', '');
  const found =
    body && (await handle({ method: request.method, path, cookie: request.headers.cookie, body }));
  const { status, body: json, cookies } = found ?? { status: 404, body: { msg: 'Not found' }, cookies: [] };
  response
    .writeHead(status, { 'content-type': 'application/json', 'set-cookie': cookies })
    .end(JSON.stringify(json));
}

const server = createServer((request, response) =>
  // An invalid URL or an incomplete body fails this request, not the server.
  respond(request, response).catch(() => response.writeHead(400).end()),
);
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`The shop is at http://127.0.0.1:${server.address().port}`),
);
