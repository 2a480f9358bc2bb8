-- The dashboard stays signed in over a reload, operators have keys, and API keys have names and tell when they were last used.

-- AlterTable
ALTER TABLE "store_key" ADD COLUMN     "last_used_at" TIMESTAMPTZ(3),
ADD COLUMN     "name" TEXT NOT NULL DEFAULT '';

-- CreateTable
CREATE TABLE "operator_key" (
    "id" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "hint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "operator_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "store_session" (
    "pid" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "store_session_pkey" PRIMARY KEY ("pid","hash")
);

-- CreateTable
CREATE TABLE "operator_session" (
    "hash" BYTEA NOT NULL,
    "key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "operator_session_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "operator_key_hash_key" ON "operator_key"("hash");

-- CreateIndex
CREATE INDEX "store_session_pid_key_id_idx" ON "store_session"("pid", "key_id");

-- CreateIndex
CREATE INDEX "store_session_expires_at_idx" ON "store_session"("expires_at");

-- CreateIndex
CREATE INDEX "operator_session_key_id_idx" ON "operator_session"("key_id");

-- CreateIndex
CREATE INDEX "operator_session_expires_at_idx" ON "operator_session"("expires_at");

-- AddForeignKey
ALTER TABLE "store_session" ADD CONSTRAINT "store_session_pid_key_id_fkey" FOREIGN KEY ("pid", "key_id") REFERENCES "store_key"("pid", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operator_session" ADD CONSTRAINT "operator_session_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "operator_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;
