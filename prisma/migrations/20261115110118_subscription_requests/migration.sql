-- CreateTable
CREATE TABLE "subscription_request" (
    "pid" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "regid" TEXT NOT NULL,
    "asker" TEXT NOT NULL,
    "medium" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "epi" TEXT NOT NULL,
    "empi" TEXT NOT NULL,
    "du" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "extras" TEXT,
    "mailinglist" BOOLEAN,
    "subscription_id" TEXT,
    "confirmed_at" TIMESTAMPTZ(3),
    "told_at" TIMESTAMPTZ(3),
    "seq" BIGSERIAL NOT NULL,
    "cts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "renewed_at" TIMESTAMPTZ(3),

    CONSTRAINT "subscription_request_pkey" PRIMARY KEY ("pid","id")
);

-- CreateTable
CREATE TABLE "contact_proof" (
    "pid" TEXT NOT NULL,
    "medium" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "regid" TEXT NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contact_proof_pkey" PRIMARY KEY ("pid","medium","value","regid")
);

-- CreateIndex
CREATE INDEX "subscription_request_pid_regid_seq_idx" ON "subscription_request"("pid", "regid", "seq");

-- CreateIndex
CREATE INDEX "subscription_request_pid_subscription_id_idx" ON "subscription_request"("pid", "subscription_id");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_request_pid_medium_value_epi_topic_regid_key" ON "subscription_request"("pid", "medium", "value", "epi", "topic", "regid");

-- CreateIndex
CREATE INDEX "contact_proof_pid_regid_idx" ON "contact_proof"("pid", "regid");

-- CreateIndex
CREATE INDEX "contact_proof_used_at_idx" ON "contact_proof"("used_at");

-- AddForeignKey
ALTER TABLE "subscription_request" ADD CONSTRAINT "subscription_request_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_request" ADD CONSTRAINT "subscription_request_pid_subscription_id_fkey" FOREIGN KEY ("pid", "subscription_id") REFERENCES "subscription"("pid", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_proof" ADD CONSTRAINT "contact_proof_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- Finds what was never confirmed without reading every request.
CREATE INDEX "subscription_request_pending_idx" ON "subscription_request" ("cts") WHERE "confirmed_at" IS NULL;

-- Each subscription so far was asked for by one shopper, or by the store. Messages about those that wait have been sent.
INSERT INTO "subscription_request" ("pid", "id", "regid", "asker", "medium", "value", "epi", "empi", "du", "topic", "extras", "mailinglist",
  "subscription_id", "confirmed_at", "told_at", "cts")
SELECT s."pid", s."id", coalesce(s."regid", ''), coalesce(s."regid", ''), s."medium", s."value", s."epi", s."empi", s."du", s."topic", s."extras",
  s."mailinglist", CASE WHEN s."confirmed_at" IS NULL AND sh."is_guest" THEN NULL ELSE s."id" END, s."confirmed_at", s."cts", s."cts"
FROM "subscription" s LEFT JOIN "shopper" sh ON sh."pid" = s."pid" AND sh."regid" = s."regid"
ORDER BY s."seq";

-- DropIndex
DROP INDEX "subscription_pid_regid_idx";

-- AlterTable
ALTER TABLE "subscription" DROP COLUMN "mailinglist",
DROP COLUMN "regid",
ADD COLUMN     "renewed_at" TIMESTAMPTZ(3);
