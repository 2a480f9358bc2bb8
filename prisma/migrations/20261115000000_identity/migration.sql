-- CreateTable
CREATE TABLE "shopper" (
    "pid" TEXT NOT NULL,
    "regid" TEXT NOT NULL,
    "is_guest" BOOLEAN NOT NULL,
    "merged_into" TEXT,
    "uid" TEXT NOT NULL,
    "di" TEXT NOT NULL,
    "em" TEXT,
    "fname" TEXT NOT NULL DEFAULT '',
    "lname" TEXT NOT NULL DEFAULT '',
    "m" TEXT,
    "lastlogin" TIMESTAMPTZ(3) NOT NULL,
    "sw_mkt" TEXT,
    "ut" TEXT,
    "acc_mkt" BOOLEAN NOT NULL DEFAULT false,
    "extags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "prefs" JSONB NOT NULL DEFAULT '{}',
    "pd" JSONB NOT NULL DEFAULT '{}',
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "cts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "uts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "shopper_pkey" PRIMARY KEY ("pid","regid")
);

-- CreateTable
CREATE TABLE "guest_link" (
    "pid" TEXT NOT NULL,
    "account_regid" TEXT NOT NULL,
    "guest_regid" TEXT NOT NULL,
    "guest_epoch" TEXT NOT NULL,
    "account_epoch" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "guest_link_pkey" PRIMARY KEY ("pid","account_regid","guest_regid","guest_epoch")
);

-- CreateTable
CREATE TABLE "store" (
    "pid" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "secret" BYTEA NOT NULL,
    "list_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "custom_items" BOOLEAN NOT NULL DEFAULT false,
    "inventory_managed" BOOLEAN NOT NULL DEFAULT true,
    "allowed_origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "share_url" TEXT,
    "double_opt_in" BOOLEAN NOT NULL DEFAULT false,
    "merged_sessions" BOOLEAN NOT NULL DEFAULT true,
    "rate_limits" JSONB NOT NULL DEFAULT '{}',
    "maintenance" BOOLEAN NOT NULL DEFAULT false,
    "is_demo" BOOLEAN NOT NULL DEFAULT false,
    "session_epoch" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "store_pkey" PRIMARY KEY ("pid")
);

-- CreateTable
CREATE TABLE "store_key" (
    "pid" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "hint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "store_key_pkey" PRIMARY KEY ("pid","id")
);

-- CreateTable
CREATE TABLE "service_state" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "maintenance" BOOLEAN NOT NULL DEFAULT false,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_state_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "shopper_pid_em_key" ON "shopper"("pid", "em");

-- CreateIndex
CREATE UNIQUE INDEX "shopper_pid_uid_key" ON "shopper"("pid", "uid");

-- CreateIndex
CREATE INDEX "guest_link_pid_guest_regid_idx" ON "guest_link"("pid", "guest_regid");

-- AddForeignKey
ALTER TABLE "shopper" ADD CONSTRAINT "shopper_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "guest_link" ADD CONSTRAINT "guest_link_pid_account_regid_fkey" FOREIGN KEY ("pid", "account_regid") REFERENCES "shopper"("pid", "regid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "store_key" ADD CONSTRAINT "store_key_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;
