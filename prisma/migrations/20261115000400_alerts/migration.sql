-- CreateTable
CREATE TABLE "topic" (
    "pid" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "tag" TEXT,
    "subject" TEXT NOT NULL,
    "html" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "sms" TEXT NOT NULL,
    "min_stock" INTEGER NOT NULL DEFAULT 1,
    "batch_size" INTEGER,
    "batch_interval_s" INTEGER,
    "shoppers_per_unit" INTEGER,
    "cool_down_s" INTEGER NOT NULL DEFAULT 86400,
    "expiry_days" INTEGER,
    "cts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "uts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "topic_pkey" PRIMARY KEY ("pid","name")
);

-- CreateTable
CREATE TABLE "restock" (
    "pid" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "epi" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'open',
    "cut_seq" BIGINT NOT NULL,
    "cursor_seq" BIGINT NOT NULL DEFAULT 0,
    "units" INTEGER NOT NULL DEFAULT 0,
    "queued" INTEGER NOT NULL DEFAULT 0,
    "batch_left" INTEGER,
    "next_batch_at" TIMESTAMPTZ(3),
    "opened_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "restock_pkey" PRIMARY KEY ("pid","id")
);

-- CreateTable
CREATE TABLE "outbox" (
    "pid" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "lane" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "payload" JSONB,
    "restock_id" TEXT,
    "subscription_id" TEXT,
    "topic" TEXT,
    "epi" TEXT,
    "dedupe_key" TEXT,
    "state" TEXT NOT NULL DEFAULT 'queued',
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "seq" BIGSERIAL NOT NULL,
    "cts" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("pid","id")
);

-- CreateTable
CREATE TABLE "alert_seen" (
    "pid" TEXT NOT NULL,
    "medium" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "epi" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alert_seen_pkey" PRIMARY KEY ("pid","epi","topic","medium","value")
);

-- CreateTable
CREATE TABLE "suppression" (
    "pid" TEXT NOT NULL,
    "medium" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "cts" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "suppression_pkey" PRIMARY KEY ("pid","medium","value")
);

-- CreateTable
CREATE TABLE "webhook" (
    "pid" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "secret" TEXT NOT NULL,
    "cts" TIMESTAMPTZ(3) NOT NULL,
    "uts" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("pid","id")
);

-- CreateIndex
CREATE INDEX "outbox_pid_seq_idx" ON "outbox"("pid", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_pid_restock_id_subscription_id_key" ON "outbox"("pid", "restock_id", "subscription_id");

-- AddForeignKey
ALTER TABLE "topic" ADD CONSTRAINT "topic_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "restock" ADD CONSTRAINT "restock_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outbox" ADD CONSTRAINT "outbox_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_seen" ADD CONSTRAINT "alert_seen_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "suppression" ADD CONSTRAINT "suppression_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- One occasion at a time for a variant and topic; also finds the one to stop when stock is gone.
CREATE UNIQUE INDEX "restock_live_key" ON "restock"("pid", "epi", "topic") WHERE "state" <> 'stopped';

-- What the fan-out looks for.
CREATE INDEX "restock_due_idx" ON "restock"("next_batch_at") WHERE "state" = 'open';

-- What a dispatcher claims; small, because sent messages leave it.
CREATE INDEX "outbox_due_idx" ON "outbox"("lane", "due_at") WHERE "state" = 'queued';

-- A subscription has at most one unsent alert: a newer restock takes it over instead of adding a second.
CREATE UNIQUE INDEX "outbox_live_alert_key" ON "outbox"("pid", "subscription_id") WHERE "state" = 'queued' AND "subscription_id" IS NOT NULL;

-- Dead letters, which people look at.
CREATE INDEX "outbox_failed_idx" ON "outbox"("pid", "seq") WHERE "state" = 'failed';

-- What is old enough to be forgotten.
CREATE INDEX "outbox_finished_idx" ON "outbox"("finished_at") WHERE "finished_at" IS NOT NULL;

-- Deliveries of one webhook.
CREATE INDEX "outbox_webhook_idx" ON "outbox"("pid", "recipient", "seq") WHERE "lane" = 'webhook';

-- Only messages that have a key: alerts, which are the many, stay out of it.
CREATE UNIQUE INDEX "outbox_dedupe_key" ON "outbox"("pid", "dedupe_key") WHERE "dedupe_key" IS NOT NULL;
