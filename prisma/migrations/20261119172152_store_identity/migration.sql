-- AlterTable
ALTER TABLE "store" ADD COLUMN     "identity_algorithm" TEXT NOT NULL DEFAULT 'RS256',
ADD COLUMN     "identity_audience" TEXT,
ADD COLUMN     "identity_claims" TEXT NOT NULL DEFAULT 'email,email_verified,sub',
ADD COLUMN     "identity_issuer" TEXT,
ADD COLUMN     "identity_jwks_uri" TEXT,
ADD COLUMN     "shopify_domain" TEXT;
