CREATE TABLE "subscriptions" (
  "id" text COLLATE "C" PRIMARY KEY,
  "account" text COLLATE "C" NOT NULL REFERENCES "accounts" ("id") ON DELETE CASCADE,
  "status" text COLLATE "C" NOT NULL,
  "plan" text COLLATE "C",
  "period_start" bigint NOT NULL,
  "period_end" bigint NOT NULL,
  "created_at" bigint NOT NULL,
  "ended_at" bigint
);
--> statement-breakpoint
CREATE INDEX "subscriptions_by_account" ON "subscriptions" ("account");
--> statement-breakpoint
ALTER TABLE "accounts"
  ADD COLUMN "customer" text COLLATE "C",
  ADD COLUMN "paid_plan" text COLLATE "C",
  ADD COLUMN "paid_from" bigint,
  ADD COLUMN "paid_to" bigint,
  ADD COLUMN "paid_until" bigint,
  ADD COLUMN "billing_version" bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_by_customer" ON "accounts" ("customer");
--> statement-breakpoint
CREATE INDEX "accounts_by_paid_to" ON "accounts" ("paid_to");
