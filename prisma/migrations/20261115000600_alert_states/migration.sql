-- What people look at in the queue: a store's alerts of one state, newest first, however many there are of the others.
CREATE INDEX "outbox_alert_state_idx" ON "outbox"("pid", "state", "seq") WHERE "lane" IN ('alert-email', 'alert-sms');
