-- AlterTable
ALTER TABLE "store" ADD COLUMN     "imprint_url" TEXT,
ADD COLUMN     "postal_address" TEXT;
