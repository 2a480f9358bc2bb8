-- Every store gets its turn in a lane: the stores with something queued are found one by one, each with its oldest message.
CREATE INDEX "outbox_turn_idx" ON "outbox"("lane", "pid", "due_at") WHERE "state" = 'queued';
DROP INDEX "outbox_due_idx";
