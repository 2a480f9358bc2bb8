-- A message that is sent later belongs to the trace of the request that queued it.
-- AlterTable
ALTER TABLE "outbox" ADD COLUMN     "traceparent" TEXT;
