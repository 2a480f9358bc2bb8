-- CreateTable
CREATE TABLE "catalog_revision" (
    "pid" TEXT NOT NULL,
    "slice" SMALLINT NOT NULL,
    "rev" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "catalog_revision_pkey" PRIMARY KEY ("pid","slice")
);

-- CreateTable
CREATE TABLE "shopper_revision" (
    "pid" TEXT NOT NULL,
    "regid" TEXT NOT NULL,
    "rev" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "shopper_revision_pkey" PRIMARY KEY ("pid","regid")
);

-- Their rows are written again and again: room beside them keeps the new versions on the same page.
ALTER TABLE catalog_revision SET (fillfactor = 50);
ALTER TABLE shopper_revision SET (fillfactor = 70);

CREATE FUNCTION move_shopper_revision(moved_pid text, moved_regid text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE shopper_revision SET rev = rev + 1 WHERE pid = moved_pid AND regid = moved_regid;
  IF NOT FOUND THEN
    INSERT INTO shopper_revision AS r VALUES (moved_pid, moved_regid, 1) ON CONFLICT (pid, regid) DO UPDATE SET rev = r.rev + 1;
  END IF;
END $$;

CREATE FUNCTION list_moves_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM move_shopper_revision(OLD.pid, OLD.regid);
  END IF;
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.regid <> OLD.regid) THEN
    PERFORM move_shopper_revision(NEW.pid, NEW.regid);
  END IF;
  RETURN NULL;
END $$;

-- At the end of the transaction, when it holds all its other locks: a writer that moved the number in the middle, and then waited for a list
-- whose writer waits for the number, would wait for ever. Every change of an item changes the row of its list.
CREATE CONSTRAINT TRIGGER list_revision AFTER INSERT OR UPDATE OR DELETE ON list
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION list_moves_revision();

CREATE FUNCTION catalog_slice(epi text) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT (hashtext(epi) & 255)::smallint';

-- Only what readers of a list see of a variant counts: a feed that sends the same again moves nothing.
CREATE FUNCTION product_changes_move_slices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_revision AS c (pid, slice, rev)
  SELECT pid, slice, 1 FROM (
    SELECT pid, catalog_slice(epi) AS slice, epi, du, uri, bt, dt, sku, iu, pr, vi, stk FROM added
    EXCEPT
    SELECT pid, catalog_slice(epi), epi, du, uri, bt, dt, sku, iu, pr, vi, stk FROM removed
  ) changed GROUP BY pid, slice ORDER BY pid, slice
  ON CONFLICT (pid, slice) DO UPDATE SET rev = c.rev + 1;
  RETURN NULL;
END $$;

CREATE FUNCTION new_products_move_slices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_revision AS c (pid, slice, rev)
  SELECT pid, 256 + catalog_slice(epi), 1 FROM added GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (pid, slice) DO UPDATE SET rev = c.rev + 1;
  RETURN NULL;
END $$;

CREATE FUNCTION removed_products_move_slices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_revision AS c (pid, slice, rev)
  SELECT pid, catalog_slice(epi), 1 FROM removed GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (pid, slice) DO UPDATE SET rev = c.rev + 1;
  RETURN NULL;
END $$;

CREATE TRIGGER product_revision_changed AFTER UPDATE ON product
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION product_changes_move_slices();
CREATE TRIGGER product_revision_added AFTER INSERT ON product
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION new_products_move_slices();
CREATE TRIGGER product_revision_removed AFTER DELETE ON product
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION removed_products_move_slices();
