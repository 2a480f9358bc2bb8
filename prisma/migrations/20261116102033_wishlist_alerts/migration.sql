-- Alerts of prices that fall and stock that runs out, also for those who have the product in a list.

-- DropIndex
DROP INDEX "item_pid_epi_idx";

-- AlterTable
ALTER TABLE "removed_product" ADD COLUMN     "pr" DOUBLE PRECISION;

-- AlterTable
ALTER TABLE "restock" ADD COLUMN     "item_cut" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "item_seq" BIGINT,
ADD COLUMN     "told_since" TIMESTAMPTZ(3),
ADD COLUMN     "was_pr" DOUBLE PRECISION;

-- AlterTable
ALTER TABLE "topic" ADD COLUMN     "delay_s" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "drop_percent" INTEGER NOT NULL DEFAULT 5,
ADD COLUMN     "list_holders" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "low_stock" INTEGER NOT NULL DEFAULT 3;

-- CreateTable
CREATE TABLE "alert_mute" (
    "pid" TEXT NOT NULL,
    "medium" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "epi" TEXT NOT NULL,
    "cts" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alert_mute_pkey" PRIMARY KEY ("pid","medium","value","topic","epi")
);

-- CreateTable
CREATE TABLE "price_mark" (
    "pid" TEXT NOT NULL,
    "epi" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "pr" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "price_mark_pkey" PRIMARY KEY ("pid","epi","topic")
);

-- CreateIndex
CREATE INDEX "item_pid_epi_seq_idx" ON "item"("pid", "epi", "seq");

-- AddForeignKey
ALTER TABLE "alert_mute" ADD CONSTRAINT "alert_mute_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "price_mark" ADD CONSTRAINT "price_mark_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- Somebody who has a product in a list has at most one unsent alert of it on a topic, as a subscription has.
CREATE UNIQUE INDEX "outbox_live_holder_key" ON "outbox"("pid", "epi", "topic", "medium", "recipient") WHERE "state" = 'queued' AND "lane" = 'alert' AND "subscription_id" IS NULL;

-- Whom an occasion has told. The occasion first, so that only this index can serve the look-up (decision 26); back in stock, which tells subscribers only, needs none.
CREATE INDEX "outbox_occasion_idx" ON "outbox"("restock_id", "recipient", "medium") WHERE "restock_id" IS NOT NULL AND "topic" <> 'backinstock';

-- Stores with subscribers under a name that is built in from now on keep it as it was, without a trigger. Empty texts are the standard ones.
INSERT INTO "topic" ("pid", "name", "trigger", "subject", "html", "text", "sms")
SELECT DISTINCT w.pid, w.topic, 'manual', '', '', '', '' FROM (
  SELECT pid, topic FROM subscription UNION ALL SELECT pid, topic FROM subscription_request) w
WHERE w.topic IN ('pricedrop', 'lowstock', 'wishlistrestock')
ON CONFLICT (pid, name) DO NOTHING;
