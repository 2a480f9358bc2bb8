-- Changes of stock are kept for a while, so that a merchant sees what became of a variant.
-- CreateTable
CREATE TABLE "stock_change" (
    "pid" TEXT NOT NULL,
    "epi" TEXT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "before" INTEGER,
    "after" INTEGER,

    CONSTRAINT "stock_change_pkey" PRIMARY KEY ("pid","epi","seq")
);

-- CreateIndex
CREATE INDEX "stock_change_at_idx" ON "stock_change"("at");
