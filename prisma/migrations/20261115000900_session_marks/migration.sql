-- Sessions carry a mark from here on, by which the merge of their guest is found. Older sessions have none and end, and
-- the links to them mean nothing any more.
DELETE FROM "guest_link";
ALTER TABLE "guest_link" ADD COLUMN "mark" TEXT NOT NULL;
CREATE INDEX "guest_link_pid_mark_idx" ON "guest_link"("pid", "mark");
