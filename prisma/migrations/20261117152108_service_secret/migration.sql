-- AlterTable
ALTER TABLE "service_state" ADD COLUMN     "secret" BYTEA NOT NULL DEFAULT sha256((concat(gen_random_uuid(), gen_random_uuid()))::bytea);
