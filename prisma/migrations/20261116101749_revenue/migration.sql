-- Alerts can be measured: clicks on their links, orders that stores report, what these come to a day, and who declined.

-- AlterTable
ALTER TABLE "store" ADD COLUMN     "attribution_days" INTEGER NOT NULL DEFAULT 7,
ADD COLUMN     "measure_alerts" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "alert_click" (
    "pid" TEXT NOT NULL,
    "alert_id" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "epi" TEXT NOT NULL,
    "empi" TEXT,
    "medium" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alert_click_pkey" PRIMARY KEY ("pid","alert_id")
);

-- CreateTable
CREATE TABLE "order_report" (
    "pid" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "ordered_at" TIMESTAMPTZ(3) NOT NULL,
    "reported_at" TIMESTAMPTZ(3) NOT NULL,
    "currency" TEXT NOT NULL,
    "total" DECIMAL(28,6) NOT NULL,
    "from_alerts" DECIMAL(28,6) NOT NULL,
    "from_lists" DECIMAL(28,6) NOT NULL,
    "regid" TEXT,
    "email" TEXT,
    "phone" TEXT,
    "lines" JSONB NOT NULL DEFAULT '[]',
    "is_nameless" BOOLEAN NOT NULL DEFAULT false,
    "seq" BIGSERIAL NOT NULL,

    CONSTRAINT "order_report_pkey" PRIMARY KEY ("pid","order_id")
);

-- CreateTable
CREATE TABLE "revenue_sum" (
    "pid" TEXT NOT NULL,
    "day" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "orders" INTEGER NOT NULL,
    "amount" DECIMAL(28,6) NOT NULL,

    CONSTRAINT "revenue_sum_pkey" PRIMARY KEY ("pid","day","kind","topic","currency")
);

-- CreateTable
CREATE TABLE "unmeasured" (
    "pid" TEXT NOT NULL,
    "medium" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "cts" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unmeasured_pkey" PRIMARY KEY ("pid","medium","value")
);

-- CreateIndex
CREATE INDEX "alert_click_pid_medium_value_idx" ON "alert_click"("pid", "medium", "value");

-- CreateIndex
CREATE INDEX "alert_click_last_at_idx" ON "alert_click"("last_at");

-- CreateIndex
CREATE INDEX "order_report_pid_regid_idx" ON "order_report"("pid", "regid");

-- CreateIndex
CREATE INDEX "order_report_pid_email_idx" ON "order_report"("pid", "email");

-- CreateIndex
CREATE INDEX "order_report_pid_phone_idx" ON "order_report"("pid", "phone");

-- CreateIndex
CREATE INDEX "order_report_reported_at_idx" ON "order_report"("reported_at");

-- AddForeignKey
ALTER TABLE "alert_click" ADD CONSTRAINT "alert_click_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "order_report" ADD CONSTRAINT "order_report_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "revenue_sum" ADD CONSTRAINT "revenue_sum_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unmeasured" ADD CONSTRAINT "unmeasured_pid_fkey" FOREIGN KEY ("pid") REFERENCES "store"("pid") ON DELETE CASCADE ON UPDATE CASCADE;

-- The hourly look for people to forget passes over the orders whose person is forgotten already.
CREATE INDEX "order_report_named_idx" ON "order_report"("reported_at") WHERE NOT "is_nameless";
