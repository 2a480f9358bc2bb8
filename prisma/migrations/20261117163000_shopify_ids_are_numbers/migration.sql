-- Shopify's ids are the numbers in them: what was stored under a gid is from now on found under its number. Where the number is there already,
-- that one stays: an item under the gid goes, everything else stays as it is and meets nothing, as before.
CREATE OR REPLACE FUNCTION pg_temp.variant_number(id text) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT substring(id FROM '^gid://shopify/ProductVariant/([1-9][0-9]*)$') $$;
CREATE OR REPLACE FUNCTION pg_temp.product_number(id text) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT substring(id FROM '^gid://shopify/Product/([1-9][0-9]*)$') $$;

DELETE FROM item g USING item n
  WHERE pg_temp.variant_number(g.epi) IS NOT NULL AND (n.pid, n.lid, n.epi) = (g.pid, g.lid, pg_temp.variant_number(g.epi));
UPDATE item SET epi = pg_temp.variant_number(epi) WHERE pg_temp.variant_number(epi) IS NOT NULL;
-- How often a product is in lists is counted when items come and go, not when they change.
WITH moved AS (
  UPDATE item SET empi = pg_temp.product_number(empi) WHERE pg_temp.product_number(empi) IS NOT NULL RETURNING pid, empi)
INSERT INTO tally_delta (pid, kind, key, n)
  SELECT pid, 'wish', empi, count(*) FROM moved GROUP BY pid, empi
  UNION ALL SELECT pid, 'wish', 'gid://shopify/Product/' || empi, -count(*) FROM moved GROUP BY pid, empi;

UPDATE deleted_item g SET epi = pg_temp.variant_number(epi),
    was = was || jsonb_build_object('epi', pg_temp.variant_number(epi), 'empi', coalesce(pg_temp.product_number(was ->> 'empi'), was ->> 'empi'))
  WHERE pg_temp.variant_number(epi) IS NOT NULL
    AND NOT EXISTS (SELECT FROM deleted_item n WHERE (n.pid, n.lid, n.epi) = (g.pid, g.lid, pg_temp.variant_number(g.epi)));

UPDATE subscription_request g SET epi = pg_temp.variant_number(epi), empi = coalesce(pg_temp.product_number(empi), empi)
  WHERE pg_temp.variant_number(epi) IS NOT NULL AND NOT EXISTS (
    SELECT FROM subscription n
    WHERE (n.pid, n.medium, n.value, n.epi, n.topic) = (g.pid, g.medium, g.value, pg_temp.variant_number(g.epi), g.topic))
  AND NOT EXISTS (
    SELECT FROM subscription_request n
    WHERE (n.pid, n.medium, n.value, n.epi, n.topic) = (g.pid, g.medium, g.value, pg_temp.variant_number(g.epi), g.topic));
WITH moved AS (
  UPDATE subscription g SET epi = pg_temp.variant_number(epi), empi = coalesce(pg_temp.product_number(empi), empi)
  WHERE pg_temp.variant_number(epi) IS NOT NULL AND NOT EXISTS (
    SELECT FROM subscription_request n WHERE n.pid = g.pid AND n.subscription_id = g.id AND n.epi = g.epi)
  AND NOT EXISTS (
    SELECT FROM subscription n
    WHERE (n.pid, n.medium, n.value, n.epi, n.topic) = (g.pid, g.medium, g.value, pg_temp.variant_number(g.epi), g.topic))
  RETURNING pid, epi)
INSERT INTO tally_delta (pid, kind, key, n)
  SELECT pid, 'wait', epi, count(*) FROM moved GROUP BY pid, epi
  UNION ALL SELECT pid, 'wait', 'gid://shopify/ProductVariant/' || epi, -count(*) FROM moved GROUP BY pid, epi;

UPDATE product g SET epi = pg_temp.variant_number(epi), empi = coalesce(pg_temp.product_number(empi), empi)
  WHERE pg_temp.variant_number(epi) IS NOT NULL
    AND NOT EXISTS (SELECT FROM product n WHERE (n.pid, n.epi) = (g.pid, pg_temp.variant_number(g.epi)));
