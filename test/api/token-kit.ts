import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { JWK } from 'jose';

export type Algorithm = 'RS256' | 'ES256' | 'EdDSA';
type Keys = { kid: string; alg: Algorithm; secret: CryptoKey; jwk: JWK };

export async function newKeys(alg: Algorithm, kid: string): Promise<Keys> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, secret: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** A login provider on this machine, which publishes `keys` and counts how often they are read. */
export async function startProvider(alg: Algorithm = 'RS256') {
  const state = {
    keys: [await newKeys(alg, 'first')],
    reads: 0,
    respond: null as ((res: ServerResponse) => void) | null,
  };
  const server = createServer((_req, res) => {
    state.reads += 1;
    if (state.respond) return state.respond(res);
    res
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ keys: state.keys.map(({ jwk }) => jwk) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A test that fails does not close it.
  server.unref();
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    identityIssuer: issuer,
    identityAudience: 'shop',
    identityJwksUri: `${issuer}/keys`,
    identityAlgorithm: alg,
  };
  /** A valid token, but for what is given; a claim that is undefined is left out. */
  const token = async (
    claims: Record<string, unknown> = {},
    header: object = {},
    keys = state.keys[0]!,
    at = new Date(),
  ) => {
    const now = Math.floor(at.getTime() / 1_000);
    const usual = {
      iss: issuer,
      aud: 'shop',
      iat: now,
      exp: now + 300,
      sub: 'customer-1',
      email_verified: true,
    };
    const payload = JSON.parse(JSON.stringify({ ...usual, ...claims })) as Record<string, unknown>;
    return new SignJWT(payload)
      .setProtectedHeader({ alg: keys.alg, kid: keys.kid, ...header })
      .sign(keys.secret);
  };
  return { state, settings, issuer, token, close: () => void server.close() };
}

export type Provider = Awaited<ReturnType<typeof startProvider>>;

export const SHOPIFY = { domain: 'hearth.myshopify.com', secret: 'shpss_0123456789abcdef' };

export type ProxiedCall = {
  customer?: string;
  shop?: string;
  timestamp?: number | string;
  extra?: string;
  secret?: string;
};

/** The query that Shopify's proxy makes of a request to /apps/wishgate/login?pid=… */
export function proxied(
  { pid }: { pid: string },
  { customer = '', shop = SHOPIFY.domain, timestamp, extra = '', secret = SHOPIFY.secret }: ProxiedCall = {},
) {
  const at = String(timestamp ?? Math.floor(Date.now() / 1_000));
  const own = { shop, logged_in_customer_id: customer, path_prefix: '/apps/wishgate', timestamp: at };
  const query = `${new URLSearchParams({ pid, ...own }).toString()}${extra}`;
  const fields = new URLSearchParams(query);
  const names = [...new Set(fields.keys())];
  const text = names
    .map((name) => `${name}=${fields.getAll(name).join(',')}`)
    .sort()
    .join('');
  return `${query}&signature=${createHmac('sha256', secret).update(text).digest('hex')}`;
}
