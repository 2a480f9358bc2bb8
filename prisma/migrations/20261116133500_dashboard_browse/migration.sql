-- The dashboard browses shoppers and finds alerts by date and contact: pages of any size of store are read from an index.

-- Alerts of a state by date, newest first; it was by number, which does not know dates.
DROP INDEX "outbox_alert_state_idx";
CREATE INDEX "outbox_alert_state_idx" ON "outbox"("pid", "state", "cts", "seq") WHERE "lane" = 'alert';

-- Alerts to a contact, by the beginning of its address.
CREATE INDEX "outbox_alert_contact_idx" ON "outbox"("pid", "recipient" text_pattern_ops) WHERE "lane" = 'alert';

-- Guests and accounts, newest first; neither ever changes its place, so that seeing a shopper again writes no index.
CREATE INDEX "shopper_browse_idx" ON "shopper"("pid", "is_guest", "cts" DESC, "uid" DESC) WHERE "merged_into" IS NULL;

-- Accounts by the beginning of their address.
CREATE INDEX "shopper_address_idx" ON "shopper"("pid", "em" text_pattern_ops) WHERE "em" IS NOT NULL;

-- The words of a shopper's name and of its address in front of the @, cut as those of products are. Who has neither takes no room in the index.
CREATE FUNCTION shopper_search(pid text, em text, fname text, lname text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(product_words(pid, fname || ' ' || lname || ' ' || coalesce(split_part(em, '@', 1), '')));

CREATE INDEX "shopper_search_idx" ON "shopper" USING gin (shopper_search(pid, em, fname, lname))
WHERE "em" IS NOT NULL OR "fname" <> '' OR "lname" <> '';
