-- AlterTable
ALTER TABLE "store" ADD COLUMN     "move_step" TEXT;

-- AlterTable
ALTER TABLE "service_state" ADD COLUMN     "key_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- Background work leaves these stores out; nearly always there is none.
CREATE INDEX store_move_step_idx ON store (pid) WHERE (move_step IS NOT NULL);

-- Keeps late writers out of a store that is closed for its move: `store -- move` puts it on the tables of the source, for rows of that store only. Closing
-- takes the lock exclusively, so no writer that began before is still under way, and the step is read after the lock. What a queue does with its own
-- messages is skipped instead of failing, because other stores share its statements. A paused store's messages are not claimed any more.
CREATE FUNCTION store_fence() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  step text;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended(TG_ARGV[0], 815004));
  SELECT move_step INTO step FROM store WHERE pid = TG_ARGV[0];
  IF step IS NOT NULL AND TG_TABLE_NAME = 'outbox' AND TG_OP = 'UPDATE' THEN
    IF OLD.state = 'queued' AND (step <> 'paused' OR NEW.claim > OLD.claim) THEN
      RETURN NULL;
    END IF;
  END IF;
  IF step IS NOT NULL AND TG_TABLE_NAME = 'store' AND TG_OP = 'UPDATE' THEN
    IF NEW.move_step IS DISTINCT FROM OLD.move_step THEN
      RETURN NEW;
    END IF;
  END IF;
  IF step <> 'paused' THEN
    RAISE EXCEPTION 'The store is moving to another server' USING ERRCODE = 'WGMOV';
  END IF;
  IF TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RETURN NEW;
END $$;
