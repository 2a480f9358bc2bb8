-- The top of a figure is read from the index alone, also where thousands share one value.
DROP INDEX "tally_pid_kind_n_idx";
CREATE INDEX "tally_pid_kind_n_key_idx" ON "tally"("pid", "kind", "n" DESC, "key");

-- A topic's audience is counted without reading the subscriptions of the others.
CREATE INDEX "subscription_audience_idx" ON "subscription"("pid", "topic", "medium") WHERE "confirmed_at" IS NOT NULL;
