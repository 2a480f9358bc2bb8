-- AlterTable
ALTER TABLE "shopper" ADD COLUMN     "language" TEXT;

-- AlterTable
ALTER TABLE "subscription" ADD COLUMN     "language" TEXT;

-- AlterTable
ALTER TABLE "subscription_request" ADD COLUMN     "language" TEXT;

-- AlterTable
ALTER TABLE "topic" ADD COLUMN     "text_language" TEXT,
ADD COLUMN     "translations" JSONB NOT NULL DEFAULT '{}';

-- Today's texts are in the store's language, also when the store chooses another one later.
UPDATE "topic" SET "text_language" = split_part("store"."locale", '-', 1) FROM "store" WHERE "store"."pid" = "topic"."pid";
