-- Every webhook gets its turn: those with something due are found one by one, each by its oldest message.
CREATE INDEX "outbox_webhook_turn_idx" ON "outbox"("pid", "recipient", "due_at") WHERE "lane" = 'webhook' AND "state" = 'queued';
