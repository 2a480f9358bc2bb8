-- AlterTable
ALTER TABLE "shopper" ADD COLUMN     "external_id" TEXT;

-- CreateTable
CREATE TABLE "former_address" (
    "pid" TEXT NOT NULL,
    "em" TEXT NOT NULL,
    "regid" TEXT NOT NULL,
    "moved_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "former_address_pkey" PRIMARY KEY ("pid","em","regid")
);

-- CreateIndex
CREATE INDEX "former_address_pid_regid_idx" ON "former_address"("pid", "regid");

-- AddForeignKey
ALTER TABLE "former_address" ADD CONSTRAINT "former_address_pid_regid_fkey" FOREIGN KEY ("pid", "regid") REFERENCES "shopper"("pid", "regid") ON DELETE CASCADE ON UPDATE CASCADE;

-- Accounts that have one; guests, which are the many, stay out of it.
CREATE UNIQUE INDEX shopper_external_id_key ON shopper (pid, external_id) WHERE (external_id IS NOT NULL);

-- Lists that a store made for somebody, whose address may change.
CREATE INDEX list_cfor_idx ON list (pid, cfor) WHERE (cfor IS NOT NULL);
