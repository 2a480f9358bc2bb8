-- Texts of channels that have no column of their own.
ALTER TABLE "topic" ADD COLUMN "texts" JSONB NOT NULL DEFAULT '{}';

-- Price before the last write, beside stock and tags.
ALTER TABLE "product" ADD COLUMN "before_pr" DOUBLE PRECISION;

-- Which way a message takes; null for an event to a webhook. It was part of the lane's name before.
ALTER TABLE "outbox" ADD COLUMN "medium" TEXT;

UPDATE "outbox" SET
  "medium" = CASE "lane" WHEN 'alert-email' THEN 'email' WHEN 'mail' THEN 'email' ELSE 'sms' END,
  "lane" = CASE WHEN "lane" LIKE 'alert-%' THEN 'alert' ELSE 'message' END
WHERE "lane" IN ('alert-email', 'alert-sms', 'mail', 'sms');

-- What a dispatcher claims, and the stores that take turns; small, because sent messages leave them.
DROP INDEX "outbox_due_idx";
CREATE INDEX "outbox_due_idx" ON "outbox"("lane", "medium", "due_at") WHERE "state" = 'queued';
DROP INDEX "outbox_turn_idx";
CREATE INDEX "outbox_turn_idx" ON "outbox"("lane", "medium", "pid", "due_at") WHERE "state" = 'queued';

-- A store's alerts by state, newest first.
DROP INDEX "outbox_alert_state_idx";
CREATE INDEX "outbox_alert_state_idx" ON "outbox"("pid", "state", "seq") WHERE "lane" = 'alert';

-- The cause of an occasion is the trigger's own name.
UPDATE "restock" SET "cause" = 'automatic' WHERE "cause" = 'stock';
