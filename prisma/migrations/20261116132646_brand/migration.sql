-- A store says what its mails, texts and pages look like, whom answers reach and how prices are written.
-- AlterTable
ALTER TABLE "store" ADD COLUMN     "colour" TEXT,
ADD COLUMN     "currency" TEXT,
ADD COLUMN     "locale" TEXT NOT NULL DEFAULT 'en',
ADD COLUMN     "logo_url" TEXT,
ADD COLUMN     "sender_address" TEXT,
ADD COLUMN     "sender_name" TEXT;
