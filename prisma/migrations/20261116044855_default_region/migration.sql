-- Stores whose shoppers type phone numbers without the country code say which country they mean.

-- AlterTable
ALTER TABLE "store" ADD COLUMN     "default_region" TEXT;
