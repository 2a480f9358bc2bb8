-- AlterTable
ALTER TABLE "product" ADD COLUMN     "added_tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "before_stk" INTEGER,
ADD COLUMN     "inventory_item" TEXT,
ADD COLUMN     "rev" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "source_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "subscription" ADD COLUMN     "mailinglist" BOOLEAN;

-- CreateTable
CREATE TABLE "shopify_connection" (
    "pid" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "shopify_connection_pkey" PRIMARY KEY ("pid")
);

-- CreateTable
CREATE TABLE "shopify_event" (
    "pid" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "shopify_event_pkey" PRIMARY KEY ("pid","id")
);

-- CreateTable
CREATE TABLE "inventory_level" (
    "pid" TEXT NOT NULL,
    "item" TEXT NOT NULL,
    "location" TEXT NOT NULL,
    "available" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inventory_level_pkey" PRIMARY KEY ("pid","item","location")
);

-- CreateTable
CREATE TABLE "import_run" (
    "pid" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "offset" BIGINT NOT NULL,
    "line" INTEGER NOT NULL,
    "written" INTEGER NOT NULL,
    "skipped" INTEGER NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "uts" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "import_run_pkey" PRIMARY KEY ("pid","source")
);

-- CreateTable
CREATE TABLE "signup_window" (
    "pid" TEXT NOT NULL,
    "key" BYTEA NOT NULL,
    "count" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "signup_window_pkey" PRIMARY KEY ("pid","key")
);

-- CreateIndex
CREATE INDEX "shopify_event_at_idx" ON "shopify_event"("at");

-- CreateIndex
CREATE UNIQUE INDEX "shopify_event_pid_digest_key" ON "shopify_event"("pid", "digest");

-- CreateIndex
CREATE INDEX "signup_window_started_at_idx" ON "signup_window"("started_at");

-- CreateIndex
CREATE INDEX "product_pid_inventory_item_idx" ON "product"("pid", "inventory_item");

-- CreateIndex
CREATE INDEX "subscription_pid_seq_idx" ON "subscription"("pid", "seq");

-- AddForeignKey
ALTER TABLE "shopify_connection" ADD CONSTRAINT "shopify_connection_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "shopify_event" ADD CONSTRAINT "shopify_event_pid_fkey" FOREIGN KEY ("pid") REFERENCES "shopify_connection"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inventory_level" ADD CONSTRAINT "inventory_level_pid_fkey" FOREIGN KEY ("pid") REFERENCES "shopify_connection"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_run" ADD CONSTRAINT "import_run_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "signup_window" ADD CONSTRAINT "signup_window_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- The words of a text for searching, each led by a short hash of the store: a plain GIN index then finds words by their
-- beginning inside one store only, and needs no extension. Products and questions are cut by the same rule.
-- The bodies are single expressions, so that PostgreSQL takes them into the index instead of calling them (twice as fast),
-- and are bound when they are created, because indexes are built without a search path.
CREATE FUNCTION product_words(pid text, content text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN string_to_array(ltrim(regexp_replace(' ' || lower(content), '[\s!-/:-@\[-`{-~]+', ' ' || left(md5(pid), 8), 'g')), ' ');

CREATE FUNCTION product_search(pid text, dt text, bt text, sku text, epi text, empi text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(product_words(
  pid, coalesce(dt, '') || ' ' || coalesce(bt, '') || ' ' || coalesce(sku, '') || ' ' || epi || ' ' || empi
));

CREATE INDEX "product_search_idx" ON "product" USING gin (product_search(pid, dt, bt, sku, epi, empi));

-- Finds what was never confirmed without reading every subscription.
CREATE INDEX "subscription_pending_idx" ON "subscription" ("cts") WHERE "confirmed_at" IS NULL;
