-- An alert that was withheld after a try that nobody heard the end of leaves under its own id at the next occasion, and is found by this.
CREATE INDEX outbox_begun_idx ON outbox (pid, epi, topic, subscription_id) WHERE state = 'withheld' AND attempts > 1 AND subscription_id IS NOT NULL;
