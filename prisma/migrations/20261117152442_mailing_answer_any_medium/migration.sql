-- CreateIndex
CREATE INDEX "mailing_answer_medium_value_idx" ON "mailing_answer"("medium", "value");

-- The new one serves what a process of the release before asks for, too.
DROP INDEX "mailing_answer_sms_idx";
