-- AlterTable
ALTER TABLE "list" ADD COLUMN     "bytes" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "list_copy" ADD COLUMN     "bytes" BIGINT NOT NULL DEFAULT 0;

-- What a row takes of its owner's quota: the texts that a caller chose, and 256 bytes for the row itself and its index entries, so
-- that a million empty items are not free. A column that comes later is no part of it until these functions and all rows are renewed.
CREATE FUNCTION item_bytes(epi text, empi text, du text, uri text, note text, cprops jsonb, lbls text[], lity text, bt text, dt text,
  sku text, iu text, vi text, platformitemid text, bundle jsonb) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT 256 + octet_length(concat(epi, empi, du, uri, note, cprops, lbls, lity, bt, dt, sku, iu, vi, platformitemid, bundle))
$$;

CREATE FUNCTION list_bytes(lname text, lty text, lnote text, lprops jsonb, cprops jsonb, ldesc jsonb, cfor text)
  RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT 256 + octet_length(concat(lname, lty, lnote, lprops, cprops, ldesc, cfor))
$$;

-- What is there already. Portions of a copy under way count as their text.
UPDATE list_copy SET bytes = octet_length(items::text);

UPDATE list l SET bytes = d.bytes
FROM (
  SELECT o.pid, o.lid, list_bytes(o.lname, o.lty, o.lnote, o.lprops, o.cprops, o.ldesc, o.cfor) + coalesce(i.bytes, 0) + coalesce(c.bytes, 0) AS bytes
  FROM list o
  LEFT JOIN (
    SELECT pid, lid, sum(item_bytes(epi, empi, du, uri, note, cprops, lbls, lity, bt, dt, sku, iu, vi, platformitemid, bundle)) AS bytes
    FROM item GROUP BY pid, lid) i ON i.pid = o.pid AND i.lid = o.lid
  LEFT JOIN (SELECT pid, lid, sum(bytes) AS bytes FROM list_copy GROUP BY pid, lid) c ON c.pid = o.pid AND c.lid = o.lid
) d
WHERE l.pid = d.pid AND l.lid = d.lid;

-- From here on list.bytes follows the rows by itself, as cnt and itemcmnts do, with the same one update a statement.
CREATE OR REPLACE FUNCTION item_count_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET cnt = l.cnt + d.cnt, itemcmnts = l.itemcmnts + d.noted, bytes = l.bytes + d.bytes
  FROM (
    SELECT pid, lid, count(*)::int AS cnt, count(note)::int AS noted,
      sum(item_bytes(epi, empi, du, uri, note, cprops, lbls, lity, bt, dt, sku, iu, vi, platformitemid, bundle)) AS bytes
    FROM added GROUP BY pid, lid
  ) d
  WHERE l.pid = d.pid AND l.lid = d.lid;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION item_count_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET cnt = l.cnt - d.cnt, itemcmnts = l.itemcmnts - d.noted, bytes = l.bytes - d.bytes
  FROM (
    SELECT pid, lid, count(*)::int AS cnt, count(note)::int AS noted,
      sum(item_bytes(epi, empi, du, uri, note, cprops, lbls, lity, bt, dt, sku, iu, vi, platformitemid, bundle)) AS bytes
    FROM removed GROUP BY pid, lid
  ) d
  WHERE l.pid = d.pid AND l.lid = d.lid;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION item_count_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET cnt = l.cnt + d.cnt, itemcmnts = l.itemcmnts + d.noted, bytes = l.bytes + d.bytes
  FROM (
    SELECT pid, lid, sum(cnt)::int AS cnt, sum(noted)::int AS noted, sum(bytes) AS bytes
    FROM (
      SELECT pid, lid, 1 AS cnt, (note IS NOT NULL)::int AS noted,
        item_bytes(epi, empi, du, uri, note, cprops, lbls, lity, bt, dt, sku, iu, vi, platformitemid, bundle) AS bytes FROM added
      UNION ALL
      SELECT pid, lid, -1, -(note IS NOT NULL)::int,
        -item_bytes(epi, empi, du, uri, note, cprops, lbls, lity, bt, dt, sku, iu, vi, platformitemid, bundle) FROM removed
    ) both_sides GROUP BY pid, lid
  ) d
  WHERE l.pid = d.pid AND l.lid = d.lid AND (d.cnt <> 0 OR d.noted <> 0 OR d.bytes <> 0);
  RETURN NULL;
END $$;

CREATE FUNCTION list_weigh() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.bytes := NEW.bytes + list_bytes(NEW.lname, NEW.lty, NEW.lnote, NEW.lprops, NEW.cprops, NEW.ldesc, NEW.cfor);
  IF TG_OP = 'UPDATE' THEN
    NEW.bytes := NEW.bytes - list_bytes(OLD.lname, OLD.lty, OLD.lnote, OLD.lprops, OLD.cprops, OLD.ldesc, OLD.cfor);
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER list_added BEFORE INSERT ON list FOR EACH ROW EXECUTE FUNCTION list_weigh();
CREATE TRIGGER list_changed BEFORE UPDATE OF lname, lty, lnote, lprops, cprops, ldesc, cfor ON list FOR EACH ROW
  WHEN ((OLD.lname, OLD.lty, OLD.lnote, OLD.lprops, OLD.cprops, OLD.ldesc, OLD.cfor)
    IS DISTINCT FROM (NEW.lname, NEW.lty, NEW.lnote, NEW.lprops, NEW.cprops, NEW.ldesc, NEW.cfor))
  EXECUTE FUNCTION list_weigh();

CREATE FUNCTION list_copy_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET bytes = l.bytes + d.bytes FROM (SELECT pid, lid, sum(bytes) AS bytes FROM added GROUP BY pid, lid) d
  WHERE l.pid = d.pid AND l.lid = d.lid;
  RETURN NULL;
END $$;

CREATE FUNCTION list_copy_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET bytes = l.bytes - d.bytes FROM (SELECT pid, lid, sum(bytes) AS bytes FROM removed GROUP BY pid, lid) d
  WHERE l.pid = d.pid AND l.lid = d.lid;
  RETURN NULL;
END $$;

CREATE TRIGGER list_copy_added AFTER INSERT ON list_copy REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION list_copy_added();
CREATE TRIGGER list_copy_removed AFTER DELETE ON list_copy REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION list_copy_removed();
