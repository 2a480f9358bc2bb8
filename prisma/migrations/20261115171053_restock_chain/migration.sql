-- AlterTable
ALTER TABLE "restock" ADD COLUMN     "carried" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "seq" BIGSERIAL NOT NULL;

-- The occasions of before in their order.
UPDATE restock r SET seq = o.n
FROM (SELECT pid, id, row_number() OVER (ORDER BY opened_at, pid, id) AS n FROM restock) o
WHERE r.pid = o.pid AND r.id = o.id;

-- CreateIndex
CREATE INDEX "restock_pid_epi_topic_seq_idx" ON "restock"("pid", "epi", "topic", "seq");
