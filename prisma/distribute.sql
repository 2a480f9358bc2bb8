-- Leaves on this server only the stores that live here, when a server was split by copying it (docs/scale.md has all steps):
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -v server=2 -v stores='{pid,pid}' -f prisma/distribute.sql
--
-- Run it on both servers while no process of the service runs. From its first line "The others are out of service" on they may run again: what follows
-- removes the rows of the other stores, one store and table at a time. Interrupted, it is run again.

SELECT set_config('wishgate.stores', :'stores', false), set_config('wishgate.server', :'server', false) \g /dev/null

-- Workers act on rows of these tables, whoever calls; the rest is asked for by its store only, and that is closed.
DO $$
DECLARE
  stores constant text[] := current_setting('wishgate.stores');
  server constant int := current_setting('wishgate.server');
  unknown text[];
BEGIN
  SELECT array_agg(one) INTO unknown FROM unnest(stores) AS one WHERE one <> ALL (SELECT pid FROM store);
  IF cardinality(stores) = 0 OR unknown IS NOT NULL THEN
    RAISE EXCEPTION 'not a store of this server: %', coalesce(unknown, stores);
  END IF;
  UPDATE store SET maintenance = true WHERE pid <> ALL (stores);
  DELETE FROM outbox WHERE state = 'queued' AND pid <> ALL (stores);
  DELETE FROM restock WHERE state = 'open' AND pid <> ALL (stores);
  DELETE FROM list_copy WHERE pid <> ALL (stores);
  DELETE FROM tally_delta WHERE pid <> ALL (stores);
  -- Brief links name a store by this number, and no two servers give out the same.
  PERFORM setval('store_link_no_seq', greatest(server * 1000000, (SELECT last_value FROM store_link_no_seq)));
END $$;
\echo The others are out of service

DO $$
DECLARE
  -- What belongs to no store; every server has it whole.
  whole constant text[] := '{_prisma_migrations,operator_key,operator_session,service_state,stop}';
  stores constant text[] := current_setting('wishgate.stores');
  gone text;
  name text;
BEGIN
  FOR gone IN SELECT pid FROM store WHERE pid <> ALL (stores) ORDER BY pid LOOP
    -- The store last: where it is gone, all is. What triggers write while items and lists go is written to tables without a link to the store, and goes after them.
    FOR name IN
      SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL (whole)
      ORDER BY c.relname = 'store', NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = c.oid AND contype = 'f'),
        c.relname <> 'item', c.relname <> 'list', c.relname
    LOOP
      EXECUTE format('DELETE FROM %I WHERE pid = $1', name) USING gone;
      COMMIT;
    END LOOP;
    RAISE NOTICE 'removed the store %', gone;
  END LOOP;
END $$;
