-- A shopper's revision also tells which lists changed, so that somebody who knows an earlier one is told what to read again.
ALTER TABLE "shopper_revision" ADD COLUMN     "changed" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "floor" BIGINT;

-- In the row that is written anyway, by the same update: no other row, no index. It holds a list once, so most shoppers have a few dozen
-- bytes more; what would not fit beside the row (about twenty-five lists) loses its older half, and `floor` says from which revision on it is whole.
CREATE FUNCTION move_shopper_revision(moved_pid text, moved_regid text, moved_lid text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  size integer;
BEGIN
  UPDATE shopper_revision SET rev = rev + 1, floor = coalesce(floor, rev), changed = changed || jsonb_build_object(moved_lid, rev + 1)
  WHERE pid = moved_pid AND regid = moved_regid RETURNING pg_column_size(changed) INTO size;
  IF NOT FOUND THEN
    INSERT INTO shopper_revision AS r (pid, regid, rev, floor, changed) VALUES (moved_pid, moved_regid, 1, 0, jsonb_build_object(moved_lid, 1))
    ON CONFLICT (pid, regid) DO UPDATE SET rev = r.rev + 1, floor = coalesce(r.floor, r.rev), changed = r.changed || jsonb_build_object(moved_lid, r.rev + 1);
  ELSIF size > 1000 THEN
    UPDATE shopper_revision r SET (changed, floor) = (
      SELECT jsonb_object_agg(key, value) FILTER (WHERE place <= 12), max(value::bigint) FILTER (WHERE place > 12)
      FROM (SELECT key, value, row_number() OVER (ORDER BY value::bigint DESC) AS place FROM jsonb_each(r.changed)) noted)
    WHERE pid = moved_pid AND regid = moved_regid;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION list_moves_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM move_shopper_revision(OLD.pid, OLD.regid, OLD.lid);
  END IF;
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.regid <> OLD.regid) THEN
    PERFORM move_shopper_revision(NEW.pid, NEW.regid, NEW.lid);
  END IF;
  RETURN NULL;
END $$;

DROP FUNCTION move_shopper_revision(text, text);
