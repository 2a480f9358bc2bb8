-- A product that was removed and comes again is not new: how it was is kept for a while. Writes tell the tags from before, so that one that was
-- taken away is seen, and a variant that the platform does not count is told apart from one whose stock was never told.
-- AlterTable
ALTER TABLE "product" DROP COLUMN "added_tags",
ADD COLUMN     "before_tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "is_untracked" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "restock" ADD COLUMN     "skip_from" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "skip_to" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "removed_product" (
    "pid" TEXT NOT NULL,
    "epi" TEXT NOT NULL,
    "stk" INTEGER,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "seq" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "removed_product_pkey" PRIMARY KEY ("pid","epi")
);

-- CreateIndex
CREATE INDEX "removed_product_at_idx" ON "removed_product"("at");

-- AddForeignKey
ALTER TABLE "removed_product" ADD CONSTRAINT "removed_product_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;
