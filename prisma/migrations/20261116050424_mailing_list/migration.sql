-- Who wants the mailing list is kept for every contact, so that stores can read it; until now it was only in the preferences of shoppers.

-- CreateTable
CREATE TABLE "mailing_answer" (
    "pid" TEXT NOT NULL,
    "medium" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "acceptmarketing" BOOLEAN NOT NULL,
    "signuptime" TIMESTAMPTZ(3) NOT NULL,
    "acceptsource" TEXT NOT NULL,
    "regid" TEXT NOT NULL DEFAULT '',
    "seq" BIGSERIAL NOT NULL,

    CONSTRAINT "mailing_answer_pkey" PRIMARY KEY ("pid","medium","value")
);

-- CreateIndex
CREATE INDEX "mailing_answer_pid_acceptmarketing_seq_idx" ON "mailing_answer"("pid", "acceptmarketing", "seq" DESC);

-- CreateIndex
CREATE INDEX "mailing_answer_pid_regid_idx" ON "mailing_answer"("pid", "regid");

-- AddForeignKey
ALTER TABLE "mailing_answer" ADD CONSTRAINT "mailing_answer_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the service itself had written into preferences; what a store wrote there is not an answer of the contact.
INSERT INTO "mailing_answer" ("pid", "medium", "value", "regid", "acceptmarketing", "signuptime", "acceptsource")
SELECT sh.pid, 'email', sh.em, sh.regid, (a.answer ->> 'acceptmarketing')::boolean,
  to_timestamp((a.answer ->> 'signuptime')::numeric / 1000), a.answer ->> 'acceptsource'
FROM shopper sh CROSS JOIN LATERAL (SELECT sh.prefs #> '{Mediums,email}' AS answer) a
WHERE sh.em IS NOT NULL AND a.answer ->> 'acceptsource' IN ('subscription', 'unsubscribe')
  AND jsonb_typeof(a.answer -> 'acceptmarketing') = 'boolean'
  AND CASE WHEN jsonb_typeof(a.answer -> 'signuptime') = 'number' THEN (a.answer ->> 'signuptime')::numeric END BETWEEN 0 AND 4102444800000
ORDER BY 6;

-- Answers of phone numbers are known as long as a request of theirs lives.
INSERT INTO "mailing_answer" ("pid", "medium", "value", "regid", "acceptmarketing", "signuptime", "acceptsource")
SELECT DISTINCT ON (q.pid, q.medium, q.value) q.pid, q.medium, q.value, q.regid, q.mailinglist, q.confirmed_at, 'subscription'
FROM subscription_request q WHERE q.medium <> 'email' AND q.mailinglist IS NOT NULL AND q.confirmed_at IS NOT NULL
ORDER BY q.pid, q.medium, q.value, q.seq DESC
ON CONFLICT DO NOTHING;

-- Who left everything that a store sends has left its mailing list, too.
INSERT INTO "mailing_answer" ("pid", "medium", "value", "acceptmarketing", "signuptime", "acceptsource")
SELECT x.pid, x.medium, x.value, false, x.cts, 'unsubscribe' FROM suppression x
ON CONFLICT (pid, medium, value) DO UPDATE SET acceptmarketing = false, signuptime = excluded.signuptime, acceptsource = excluded.acceptsource
  WHERE mailing_answer.acceptmarketing AND mailing_answer.signuptime <= excluded.signuptime;
