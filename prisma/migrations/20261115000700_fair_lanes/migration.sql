-- Every store gets its turn in a lane: the stores with something due are found one by one, each by its oldest message.
CREATE INDEX "outbox_turn_idx" ON "outbox"("lane", "pid", "due_at") WHERE "state" = 'queued';
