ALTER TABLE "restock" ADD COLUMN "is_first_pass" BOOLEAN NOT NULL DEFAULT false;

-- A negative cursor used to mark the first pass and counted down from -1.
UPDATE "restock" SET "is_first_pass" = coalesce("item_seq", "cursor_seq") < 0,
  "cursor_seq" = greatest("cursor_seq", -1 - "cursor_seq"),
  "item_seq" = greatest("item_seq", -1 - "item_seq")
WHERE "cursor_seq" < 0 OR "item_seq" < 0;
