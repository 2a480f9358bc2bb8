-- Rows that are looked up by the hundred are found by their ids alone, which only a key that begins with the id can serve: see decision 26.

-- DropForeignKey
ALTER TABLE "subscription_request" DROP CONSTRAINT "subscription_request_pid_subscription_id_fkey";

-- AlterTable
ALTER TABLE "outbox" DROP CONSTRAINT "outbox_pkey",
ADD CONSTRAINT "outbox_pkey" PRIMARY KEY ("id", "pid");

-- AlterTable
ALTER TABLE "subscription" DROP CONSTRAINT "subscription_pkey",
ADD CONSTRAINT "subscription_pkey" PRIMARY KEY ("id", "pid");

-- AddForeignKey
ALTER TABLE "subscription_request" ADD CONSTRAINT "subscription_request_subscription_id_pid_fkey" FOREIGN KEY ("subscription_id", "pid") REFERENCES "subscription"("id", "pid") ON DELETE CASCADE ON UPDATE CASCADE;
