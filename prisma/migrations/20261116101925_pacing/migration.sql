-- Stores pace their alerts: several in one message, none at night, a few a day; and people answer STOP to text messages.
-- AlterTable
ALTER TABLE "outbox" ADD COLUMN     "leaves_at" TIMESTAMPTZ(3),
ADD COLUMN     "parcel_id" TEXT;

-- AlterTable
ALTER TABLE "store" ADD COLUMN     "pacing" JSONB NOT NULL DEFAULT '{}';

-- CreateTable
CREATE TABLE "stop" (
    "medium" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "is_stopped" BOOLEAN NOT NULL,
    "answers" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "uts" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stop_pkey" PRIMARY KEY ("medium","value")
);

-- The paced alerts of a contact. By the recipient alone, as ids in decision 26: no other index can serve that. Empty where nobody paces.
CREATE INDEX "outbox_paced_idx" ON "outbox"("recipient") WHERE "leaves_at" IS NOT NULL;

-- A number that answers STOP leaves the mailing lists of all stores.
CREATE INDEX "mailing_answer_sms_idx" ON "mailing_answer"("value") WHERE "medium" = 'sms' AND "acceptmarketing";
