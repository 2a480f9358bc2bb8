-- AlterTable
ALTER TABLE "service_state" ADD COLUMN     "sweep_at" TIMESTAMPTZ(3),
ADD COLUMN     "swept_pid" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "swept_regid" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "shopper" ALTER COLUMN "lastlogin" DROP NOT NULL;

-- AlterTable
ALTER TABLE "store" ADD COLUMN     "guest_days" INTEGER NOT NULL DEFAULT 30;
