-- An alert knows whether it takes a unit or a place in a batch, so that one that nobody hears gives it back; a batch counts from its beginning.
-- AlterTable
ALTER TABLE "outbox" ADD COLUMN     "has_place" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "restock" ADD COLUMN     "batch_at" TIMESTAMPTZ(3);
