-- CreateTable
CREATE TABLE "tally" (
    "pid" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "n" INTEGER NOT NULL,

    CONSTRAINT "tally_pkey" PRIMARY KEY ("pid","kind","key")
);

-- CreateTable
CREATE TABLE "tally_delta" (
    "pid" TEXT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "n" INTEGER NOT NULL,

    CONSTRAINT "tally_delta_pkey" PRIMARY KEY ("pid","seq")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "pid" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "detail" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("pid","id")
);

-- CreateIndex
CREATE INDEX "tally_pid_kind_n_idx" ON "tally"("pid", "kind", "n" DESC);

-- CreateIndex
CREATE INDEX "audit_entry_pid_at_idx" ON "audit_entry"("pid", "at" DESC);

-- What is in lists and who waits is counted by the database itself, whichever statement wrote the rows. The triggers only
-- insert deltas; a background task folds them, so that shoppers who want the same product never wait for each other.
CREATE FUNCTION tally_wish_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tally_delta (pid, kind, key, n) SELECT pid, 'wish', empi, count(*) FROM added GROUP BY pid, empi;
  RETURN NULL;
END $$;

CREATE FUNCTION tally_wish_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tally_delta (pid, kind, key, n) SELECT pid, 'wish', empi, -count(*) FROM removed GROUP BY pid, empi;
  RETURN NULL;
END $$;

CREATE FUNCTION tally_wait_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tally_delta (pid, kind, key, n) SELECT pid, 'wait', epi, count(*) FROM added GROUP BY pid, epi;
  RETURN NULL;
END $$;

CREATE FUNCTION tally_wait_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tally_delta (pid, kind, key, n) SELECT pid, 'wait', epi, -count(*) FROM removed GROUP BY pid, epi;
  RETURN NULL;
END $$;

CREATE TRIGGER item_wish_added AFTER INSERT ON item REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION tally_wish_added();
CREATE TRIGGER item_wish_removed AFTER DELETE ON item REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION tally_wish_removed();
CREATE TRIGGER subscription_wait_added AFTER INSERT ON subscription REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION tally_wait_added();
CREATE TRIGGER subscription_wait_removed AFTER DELETE ON subscription REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION tally_wait_removed();
