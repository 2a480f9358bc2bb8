-- CreateTable
CREATE TABLE "product" (
    "pid" TEXT NOT NULL,
    "epi" TEXT NOT NULL,
    "empi" TEXT NOT NULL,
    "bt" TEXT,
    "dt" TEXT,
    "sku" TEXT,
    "du" TEXT NOT NULL,
    "uri" TEXT,
    "iu" TEXT,
    "stk" INTEGER,
    "pr" DOUBLE PRECISION,
    "vi" TEXT,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "seq" BIGSERIAL NOT NULL,
    "cts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "uts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "product_pkey" PRIMARY KEY ("pid","epi")
);

-- CreateTable
CREATE TABLE "item" (
    "pid" TEXT NOT NULL,
    "lid" TEXT NOT NULL,
    "epi" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "empi" TEXT NOT NULL,
    "du" TEXT NOT NULL,
    "uri" TEXT,
    "qty" INTEGER NOT NULL DEFAULT 1,
    "note" TEXT,
    "cprops" JSONB NOT NULL DEFAULT '{}',
    "lbls" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "av" BOOLEAN NOT NULL DEFAULT false,
    "lity" TEXT,
    "bt" TEXT,
    "dt" TEXT,
    "sku" TEXT,
    "iu" TEXT,
    "pr" DOUBLE PRECISION,
    "vi" TEXT,
    "compare_at_price" DOUBLE PRECISION,
    "platformitemid" TEXT,
    "bundle" JSONB NOT NULL DEFAULT '[]',
    "di" TEXT NOT NULL,
    "uby" TEXT,
    "seq" BIGSERIAL NOT NULL,
    "cts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "uts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "item_pkey" PRIMARY KEY ("pid","lid","epi")
);

-- CreateTable
CREATE TABLE "list" (
    "pid" TEXT NOT NULL,
    "lid" TEXT NOT NULL,
    "regid" TEXT NOT NULL,
    "lname" TEXT NOT NULL,
    "lty" TEXT,
    "sfl_owner" TEXT,
    "lnote" TEXT,
    "lprops" JSONB NOT NULL DEFAULT '{}',
    "cprops" JSONB NOT NULL DEFAULT '{}',
    "ldesc" JSONB NOT NULL DEFAULT '{}',
    "anon_read" BOOLEAN NOT NULL DEFAULT false,
    "cnt" INTEGER NOT NULL DEFAULT 0,
    "itemcmnts" INTEGER NOT NULL DEFAULT 0,
    "copying" BOOLEAN NOT NULL DEFAULT false,
    "cby" TEXT,
    "uby" TEXT,
    "cfor" TEXT,
    "st" SMALLINT NOT NULL DEFAULT 1,
    "di" TEXT NOT NULL,
    "uid" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "shares" INTEGER NOT NULL DEFAULT 0,
    "seq" BIGSERIAL NOT NULL,
    "cts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "uts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "list_pkey" PRIMARY KEY ("pid","lid")
);

-- CreateTable
CREATE TABLE "list_copy" (
    "pid" TEXT NOT NULL,
    "lid" TEXT NOT NULL,
    "portion" INTEGER NOT NULL,
    "items" JSONB NOT NULL,

    CONSTRAINT "list_copy_pkey" PRIMARY KEY ("pid","lid","portion")
);

-- CreateIndex
CREATE INDEX "product_pid_empi_idx" ON "product"("pid", "empi");

-- CreateIndex
CREATE INDEX "product_pid_seq_idx" ON "product"("pid", "seq");

-- CreateIndex
CREATE INDEX "item_pid_lid_seq_idx" ON "item"("pid", "lid", "seq" DESC);

-- CreateIndex
CREATE INDEX "item_pid_epi_idx" ON "item"("pid", "epi");

-- CreateIndex
CREATE INDEX "item_pid_empi_idx" ON "item"("pid", "empi");

-- CreateIndex
CREATE UNIQUE INDEX "item_pid_id_key" ON "item"("pid", "id");

-- CreateIndex
CREATE INDEX "list_pid_regid_seq_idx" ON "list"("pid", "regid", "seq" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "list_pid_sfl_owner_key" ON "list"("pid", "sfl_owner");

-- AddForeignKey
ALTER TABLE "product" ADD CONSTRAINT "product_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "item" ADD CONSTRAINT "item_pid_lid_fkey" FOREIGN KEY ("pid", "lid") REFERENCES "list"("pid", "lid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "list" ADD CONSTRAINT "list_pid_regid_fkey" FOREIGN KEY ("pid", "regid") REFERENCES "shopper"("pid", "regid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "list_copy" ADD CONSTRAINT "list_copy_pid_lid_fkey" FOREIGN KEY ("pid", "lid") REFERENCES "list"("pid", "lid") ON DELETE CASCADE ON UPDATE CASCADE;

-- list.cnt and list.itemcmnts follow the item rows by themselves, whichever statement wrote them. One statement-level
-- trigger an event: a write of 500 items costs one update of the list.
CREATE FUNCTION item_count_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET cnt = l.cnt + d.cnt, itemcmnts = l.itemcmnts + d.noted
  FROM (SELECT pid, lid, count(*)::int AS cnt, count(note)::int AS noted FROM added GROUP BY pid, lid) d
  WHERE l.pid = d.pid AND l.lid = d.lid;
  RETURN NULL;
END $$;

CREATE FUNCTION item_count_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET cnt = l.cnt - d.cnt, itemcmnts = l.itemcmnts - d.noted
  FROM (SELECT pid, lid, count(*)::int AS cnt, count(note)::int AS noted FROM removed GROUP BY pid, lid) d
  WHERE l.pid = d.pid AND l.lid = d.lid;
  RETURN NULL;
END $$;

CREATE FUNCTION item_count_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET cnt = l.cnt + d.cnt, itemcmnts = l.itemcmnts + d.noted
  FROM (
    SELECT pid, lid, sum(cnt)::int AS cnt, sum(noted)::int AS noted
    FROM (
      SELECT pid, lid, 1 AS cnt, (note IS NOT NULL)::int AS noted FROM added
      UNION ALL
      SELECT pid, lid, -1, -(note IS NOT NULL)::int FROM removed
    ) both_sides GROUP BY pid, lid
  ) d
  WHERE l.pid = d.pid AND l.lid = d.lid AND (d.cnt <> 0 OR d.noted <> 0);
  RETURN NULL;
END $$;

CREATE TRIGGER item_added AFTER INSERT ON item REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION item_count_added();
CREATE TRIGGER item_removed AFTER DELETE ON item REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION item_count_removed();
CREATE TRIGGER item_changed AFTER UPDATE ON item REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION item_count_changed();
