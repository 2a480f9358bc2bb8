-- Keys of sessions and links that can be rotated; while there is none, the secret signs as before.
-- AlterTable
ALTER TABLE "store" ADD COLUMN     "token_keys" JSONB NOT NULL DEFAULT '[]';
