-- AlterTable
ALTER TABLE "idempotent_write" ADD COLUMN     "regid" TEXT;

-- CreateTable
CREATE TABLE "idempotency_usage" (
    "pid" TEXT NOT NULL,
    "caller" BYTEA NOT NULL,
    "bytes" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_usage_pkey" PRIMARY KEY ("pid","caller")
);

-- CreateIndex
CREATE INDEX "idempotency_usage_started_at_idx" ON "idempotency_usage"("started_at");

-- CreateIndex
CREATE INDEX "idempotent_write_pid_regid_idx" ON "idempotent_write"("pid", "regid");
