-- Deleted lists and items can be brought back: they go into tables of their own, which no other statement reads.

-- AlterTable
ALTER TABLE "store" ADD COLUMN     "restore_days" INTEGER NOT NULL DEFAULT 30;

-- CreateTable
CREATE TABLE "deleted_list" (
    "pid" TEXT NOT NULL,
    "lid" TEXT NOT NULL,
    "regid" TEXT NOT NULL,
    "was" JSONB NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deleted_list_pkey" PRIMARY KEY ("pid","lid")
);

-- CreateTable
CREATE TABLE "deleted_item" (
    "pid" TEXT NOT NULL,
    "lid" TEXT NOT NULL,
    "epi" TEXT NOT NULL,
    "regid" TEXT,
    "was" JSONB NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deleted_item_pkey" PRIMARY KEY ("pid","lid","epi")
);

-- CreateIndex
CREATE INDEX "deleted_list_pid_regid_seq_idx" ON "deleted_list"("pid", "regid", "seq" DESC);

-- CreateIndex
CREATE INDEX "deleted_list_pid_deleted_at_idx" ON "deleted_list"("pid", "deleted_at");

-- AddForeignKey
ALTER TABLE "deleted_list" ADD CONSTRAINT "deleted_list_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deleted_item" ADD CONSTRAINT "deleted_item_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- Items that went with their list are found by it; those that were deleted alone are listed, counted and forgotten by these.
CREATE INDEX "deleted_item_alone_idx" ON "deleted_item" ("pid", "regid", "seq" DESC) WHERE "regid" IS NOT NULL;
CREATE INDEX "deleted_item_over_idx" ON "deleted_item" ("pid", "deleted_at") WHERE "regid" IS NOT NULL;
