-- CreateTable
CREATE TABLE "idempotent_write" (
    "pid" TEXT NOT NULL,
    "id" BYTEA NOT NULL,
    "body" BYTEA NOT NULL,
    "token" TEXT NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "answer" BYTEA,
    "cts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotent_write_pkey" PRIMARY KEY ("pid","id")
);

-- CreateIndex
CREATE INDEX "idempotent_write_cts_idx" ON "idempotent_write"("cts");
