-- Each try to tell a webhook something is kept for a while, so that its owner sees why it did not arrive.
-- CreateTable
CREATE TABLE "webhook_try" (
    "pid" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "took_ms" INTEGER NOT NULL,
    "status" INTEGER,
    "error" TEXT,

    CONSTRAINT "webhook_try_pkey" PRIMARY KEY ("pid","webhook_id","seq")
);

-- CreateIndex
CREATE INDEX "webhook_try_pid_delivery_id_idx" ON "webhook_try"("pid", "delivery_id");

-- CreateIndex
CREATE INDEX "webhook_try_at_idx" ON "webhook_try"("at");

-- AddForeignKey
ALTER TABLE "webhook_try" ADD CONSTRAINT "webhook_try_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;
