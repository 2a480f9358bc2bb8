-- A store may send its mails by a mail server of its own.

-- CreateTable
CREATE TABLE "mail_server" (
    "pid" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "port" INTEGER NOT NULL,
    "security" TEXT NOT NULL,
    "login" TEXT NOT NULL,
    "password" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "problem" TEXT,
    "problem_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "cts" TIMESTAMPTZ(3) NOT NULL,
    "uts" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mail_server_pkey" PRIMARY KEY ("pid")
);

-- AddForeignKey
ALTER TABLE "mail_server" ADD CONSTRAINT "mail_server_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;
