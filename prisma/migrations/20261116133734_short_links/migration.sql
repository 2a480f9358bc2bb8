-- Text messages have room for a short link: a number names the store in it.
-- AlterTable
ALTER TABLE "store" ADD COLUMN     "link_no" SERIAL NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "store_link_no_key" ON "store"("link_no");
