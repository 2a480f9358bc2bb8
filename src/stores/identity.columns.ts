import type { Setting } from './setting.types.ts';

/** Whose word about a logged-in shopper the store takes. */
export const IDENTITY_SETTINGS = {
  identityIssuer: {
    ...{ kind: 'text', check: 'line', max: 300, initial: null },
    cli: {
      value: 'ISS',
      help: 'issuer of the id tokens with which shoppers log in',
      off: 'no login by token (default)',
    },
    form: { card: 'identity', placeholder: 'https://login.shop.example/' },
  },
  identityAudience: {
    ...{ kind: 'text', check: 'line', max: 300, initial: null },
    cli: { value: 'AUD', help: "audience of the id tokens: the shop's client id", off: 'none (default)' },
    form: { card: 'identity' },
  },
  identityJwksUri: {
    ...{ kind: 'text', check: 'jwksUri', max: 1_000, initial: null },
    cli: {
      value: 'URL',
      help: "https URL of the login provider's public keys (JWKS)",
      off: 'none (default)',
    },
    form: { card: 'identity', as: 'url', placeholder: 'https://login.shop.example/.well-known/jwks.json' },
  },
  identityAlgorithm: {
    ...{ kind: 'text', check: 'algorithm', initial: 'RS256' },
    cli: {
      value: 'ALG',
      help: 'signature algorithm of id tokens: RS256, ES256 or EdDSA',
      off: 'RS256 (default)',
    },
    form: { card: 'identity' },
  },
  identityClaims: {
    ...{ kind: 'text', check: 'claims', max: 300, initial: 'email,email_verified,sub' },
    cli: {
      value: 'EMAIL,VERIFIED,ID',
      help: 'claims of id tokens: email address, whether it is verified, customer id',
      off: 'email,email_verified,sub (default)',
    },
    form: { card: 'identity' },
  },
  shopifyDomain: {
    ...{ kind: 'text', check: 'shopifyDomain', initial: null },
    cli: {
      value: 'DOMAIN',
      help: 'Shopify domain whose app proxy logs customers in',
      off: 'no login by Shopify (default)',
    },
    form: { card: 'identity', placeholder: 'hearth.myshopify.com' },
  },
} as const satisfies Record<string, Setting>;
