-- A body is told apart by what it is about and when that was changed, no longer by a digest for the whole store: two changes of
-- a product or level within one second may have the same body as an earlier one.
DROP INDEX "shopify_event_pid_digest_key";
ALTER TABLE "shopify_event" DROP COLUMN "digest";

-- CreateTable
CREATE TABLE "shopify_subject" (
    "pid" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "digest" BYTEA NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "shopify_subject_pkey" PRIMARY KEY ("pid","subject")
);

-- CreateIndex
CREATE INDEX "shopify_subject_at_idx" ON "shopify_subject"("at");

-- AddForeignKey
ALTER TABLE "shopify_subject" ADD CONSTRAINT "shopify_subject_pid_fkey" FOREIGN KEY ("pid") REFERENCES "shopify_connection"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- The first and the last location of a store are found without reading its levels. With the item, because a look-up by the key
-- that took an index on the location alone, as it did before the first ANALYZE, would read a whole location.
CREATE INDEX "inventory_level_pid_location_item_idx" ON "inventory_level"("pid", "location", "item");
