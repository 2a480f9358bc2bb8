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
