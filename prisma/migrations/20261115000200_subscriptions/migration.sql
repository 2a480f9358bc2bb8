-- CreateTable
CREATE TABLE "subscription" (
    "pid" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "medium" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "epi" TEXT NOT NULL,
    "empi" TEXT NOT NULL,
    "du" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "regid" TEXT,
    "extras" TEXT,
    "confirmed_at" TIMESTAMPTZ(3),
    "seq" BIGSERIAL NOT NULL,
    "cts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscription_pkey" PRIMARY KEY ("pid","id")
);

-- CreateIndex
CREATE INDEX "subscription_pid_epi_topic_seq_idx" ON "subscription"("pid", "epi", "topic", "seq");

-- CreateIndex
CREATE INDEX "subscription_pid_regid_idx" ON "subscription"("pid", "regid");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_pid_medium_value_epi_topic_key" ON "subscription"("pid", "medium", "value", "epi", "topic");

-- AddForeignKey
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;
