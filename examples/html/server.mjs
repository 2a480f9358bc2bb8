// A shop of static files. Its only code is its own login, which hands out an id token; the service checks it by the keys at /jwks.json.
//   WISHGATE_URL=http://127.0.0.1:4000 WISHGATE_PID=… node server.mjs
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';

const { WISHGATE_URL = 'http://127.0.0.1:4000', WISHGATE_PID, PORT = '5000' } = process.env;
if (!WISHGATE_PID) {
  console.error('Set WISHGATE_PID. The service prints that of its demo store when it starts.');
  process.exit(1);
}

const { privateKey, publicKey } = await generateKeyPair('ES256');
const keys = [{ ...(await exportJWK(publicKey)), kid: 'shop', alg: 'ES256', use: 'sig' }];

/**
 * A real shop checks a password first.
 * @param {string} email
 */
const tokenFor = (email) =>
  new SignJWT({ email, email_verified: true })
    .setProtectedHeader({ alg: 'ES256', kid: 'shop' })
    .setIssuer('https://shop.example')
    .setAudience('wishgate')
    .setSubject(`customer-${email}`)
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(privateKey);

const TYPES = { html: 'text/html', css: 'text/css', mjs: 'text/javascript' };
const ELEMENTS = new URL('.', import.meta.resolve('@wishgate/elements'));

/** @param {string} path */
function fileOf(path) {
  if (path === '/') return new URL('index.html', import.meta.url);
  if (path === '/page.mjs' || path === '/shop.css') return new URL(`.${path}`, import.meta.url);
  const [, name] = /^\/elements\/([\w.-]+\.mjs)$/.exec(path) ?? [];
  return name ? new URL(name, ELEMENTS) : null;
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function respond(request, response) {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/jwks.json') return response.end(JSON.stringify({ keys }));
  if (pathname === '/login' && request.method === 'POST') {
    let form = '';
    for await (const chunk of request) form += chunk;
    const email = new URLSearchParams(form.slice(0, 1_000)).get('email') ?? '';
    return response.end(JSON.stringify({ email, token: await tokenFor(email) }));
  }
  const file = fileOf(pathname);
  if (!file) return response.writeHead(404).end();
  const extension = /** @type {keyof typeof TYPES} */ (file.pathname.split('.').at(-1));
  response.setHeader('content-type', `${TYPES[extension]}; charset=utf-8`);
  const text = await readFile(fileURLToPath(file), 'utf8');
  if (extension !== 'html') return response.end(text);
  return response.end(text.replaceAll('{{baseUrl}}', WISHGATE_URL).replaceAll('{{pid}}', WISHGATE_PID ?? ''));
}

const server = createServer((request, response) =>
  // A file that is missing fails this request, not the server.
  respond(request, response).catch(() => response.writeHead(404).end()),
);
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object')
    console.log(`The shop is at http://127.0.0.1:${address.port}`);
});
