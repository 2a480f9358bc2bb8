-- Alerts to list holders keep their ids as those to subscribers do, and have no subscription: what was begun is found by its contact.
DROP INDEX outbox_begun_idx;
CREATE INDEX outbox_begun_idx ON outbox (recipient, medium, epi, topic) WHERE state = 'withheld' AND attempts > 1;
