import { errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { readEmail } from '../../platform/email.ts';
import { fail } from '../../platform/errors.ts';
import { isLine } from '../../platform/text.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import type { AccountName } from '../new-shopper.rules.ts';

/** Clocks of the login provider and of this service may differ by this much. */
const CLOCK_TOLERANCE_SECONDS = 60;
const MAX_TOKEN = 16_384;
const MAX_ID = 255;

type Provider = { issuer: string; audience: string; jwksUri: string; algorithm: string; claims: string };

const REQUIRED = ['identityIssuer', 'identityAudience', 'identityJwksUri'] as const;

/** The store's login provider, or 403 that names the setting to fill. */
export function providerOf(store: StoreRow): Provider {
  const missing = REQUIRED.find((name) => store[name] === null);
  if (missing !== undefined)
    fail('forbidden', `The login by token is off: the store setting ${missing} is empty`);
  const { identityIssuer, identityAudience, identityJwksUri, identityAlgorithm, identityClaims } = store;
  return {
    issuer: identityIssuer!,
    audience: identityAudience!,
    jwksUri: identityJwksUri!,
    algorithm: identityAlgorithm,
    claims: identityClaims,
  };
}

/** Why the library rejects a token, by the code of its error. */
const REASONS: Record<string, string> = {
  ERR_JWT_EXPIRED: 'it has expired (exp)',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature is wrong',
  ERR_JWKS_NO_MATCHING_KEY: 'its key (kid) is not among those of identityJwksUri',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'it does not name its key (kid), and identityJwksUri has several',
};

const CLAIM_REASONS: Record<string, string> = {
  iss: 'its issuer (iss) is not identityIssuer',
  aud: 'its audience (aud) is not identityAudience',
  nbf: 'it is not valid yet (nbf)',
};

function reasonOf(error: errors.JOSEError, { algorithm }: Provider): string {
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `its algorithm is not ${algorithm}, the identityAlgorithm`;
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.reason === 'missing'
      ? `it has no claim ${error.claim}`
      : (CLAIM_REASONS[error.claim] ?? `its claim ${error.claim} is invalid`);
  return REASONS[error.code] ?? 'it is not a signed token (JWT)';
}

const refuseToken = (reason: string): never => fail('unauthorised', `The token is rejected: ${reason}`);

function whoOf(payload: JWTPayload, claims: string): AccountName {
  const [email = '', verified = '', id = ''] = claims.split(',').map((claim) => payload[claim] ?? '');
  const [emailName, verifiedName, idName] = claims.split(',');
  const externalId = typeof id === 'number' || typeof id === 'string' ? String(id).trim() : id;
  if (externalId === '') refuseToken(`it has no claim ${idName}`);
  if (typeof externalId !== 'string' || !isLine(externalId, MAX_ID))
    return refuseToken(`its claim ${idName} must have 1 to ${MAX_ID} printable characters`);
  if (email === '') return { email: null, externalId };
  // Some providers send a text.
  if (verified !== true && verified !== 'true')
    refuseToken(`its email address is not verified: its claim ${verifiedName} is not true`);
  const address =
    (typeof email === 'string' ? readEmail(email) : null) ??
    refuseToken(`its claim ${emailName} is not an email address`);
  return { email: address, externalId };
}

/** The shopper that a token names; 401 that says what is wrong with it. */
export async function readToken(given: string, provider: Provider, findKey: JWTVerifyGetKey, now: Date) {
  const token = given.trim();
  if (token.length > MAX_TOKEN) refuseToken(`it is longer than ${MAX_TOKEN} characters`);
  const { issuer, audience, algorithm, claims } = provider;
  const { payload } = await jwtVerify(token, findKey, {
    ...{ issuer, audience, algorithms: [algorithm], requiredClaims: ['exp'] },
    ...{ clockTolerance: CLOCK_TOLERANCE_SECONDS, currentDate: now },
  }).catch((error: unknown) => {
    if (error instanceof errors.JOSEError) refuseToken(reasonOf(error, provider));
    throw error;
  });
  if ((payload.iat ?? 0) > now.getTime() / 1_000 + CLOCK_TOLERANCE_SECONDS)
    refuseToken('it is from the future (iat)');
  return whoOf(payload, claims);
}
