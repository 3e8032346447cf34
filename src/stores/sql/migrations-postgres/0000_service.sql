CREATE TABLE "accounts" (
  "id" text COLLATE "C" PRIMARY KEY,
  "name" text COLLATE "C" NOT NULL UNIQUE,
  "email" text COLLATE "C" UNIQUE,
  "plan" text COLLATE "C" NOT NULL,
  "salt" bytea NOT NULL,
  "created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "keys" (
  "id" text COLLATE "C" PRIMARY KEY,
  "account" text COLLATE "C" NOT NULL REFERENCES "accounts" ("id") ON DELETE CASCADE,
  "name" text COLLATE "C" NOT NULL,
  "prefix" text COLLATE "C" NOT NULL,
  "sha256" text COLLATE "C" NOT NULL UNIQUE,
  "created_at" bigint NOT NULL,
  "last_used" bigint
);
--> statement-breakpoint
CREATE INDEX "keys_by_account" ON "keys" ("account");
--> statement-breakpoint
CREATE TABLE "codes" (
  "id" text COLLATE "C" PRIMARY KEY,
  "email" text COLLATE "C" NOT NULL,
  "client" text COLLATE "C" NOT NULL,
  "sha256" text COLLATE "C",
  "tries" bigint NOT NULL,
  "created_at" bigint NOT NULL,
  "expires_at" bigint NOT NULL,
  "used_at" bigint
);
--> statement-breakpoint
CREATE INDEX "codes_by_email" ON "codes" ("email", "created_at");
--> statement-breakpoint
CREATE INDEX "codes_by_client" ON "codes" ("client", "created_at");
--> statement-breakpoint
CREATE INDEX "codes_by_time" ON "codes" ("created_at");
--> statement-breakpoint
CREATE TABLE "sessions" (
  "sha256" text COLLATE "C" PRIMARY KEY,
  "account" text COLLATE "C" NOT NULL REFERENCES "accounts" ("id") ON DELETE CASCADE,
  "created_at" bigint NOT NULL,
  "expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "sessions_by_account" ON "sessions" ("account");
--> statement-breakpoint
CREATE INDEX "sessions_by_end" ON "sessions" ("expires_at");
--> statement-breakpoint
CREATE TABLE "jobs" (
  "id" text COLLATE "C" PRIMARY KEY,
  "account" text COLLATE "C" NOT NULL,
  "source" text COLLATE "C" NOT NULL,
  "status" text COLLATE "C" NOT NULL,
  "health_score" double precision NOT NULL,
  "rows_received" bigint NOT NULL,
  "drift_count" bigint NOT NULL,
  "latency_ms" bigint NOT NULL,
  "created_at" bigint NOT NULL,
  "period_start" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "jobs_by_account" ON "jobs" ("account", "id", "source", "status", "health_score", "rows_received", "drift_count", "created_at");
--> statement-breakpoint
CREATE INDEX "jobs_by_source" ON "jobs" ("account", "source", "id");
--> statement-breakpoint
CREATE INDEX "jobs_by_time" ON "jobs" ("created_at");
--> statement-breakpoint
CREATE TABLE "reports" (
  "job" text COLLATE "C" PRIMARY KEY REFERENCES "jobs" ("id") ON DELETE CASCADE,
  "document" bytea NOT NULL,
  "trend" bytea NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger" (
  "account" text COLLATE "C" NOT NULL,
  "period_start" bigint NOT NULL,
  "shard" bigint NOT NULL,
  "rows" bigint NOT NULL,
  "requests" bigint NOT NULL,
  PRIMARY KEY ("account", "period_start", "shard")
);
--> statement-breakpoint
CREATE TABLE "allowance" (
  "account" text COLLATE "C" NOT NULL,
  "period_start" bigint NOT NULL,
  "rows" bigint NOT NULL,
  PRIMARY KEY ("account", "period_start")
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
  "account" text COLLATE "C" NOT NULL,
  "key" text COLLATE "C" NOT NULL,
  "request_sha256" text COLLATE "C" NOT NULL,
  "claim" text COLLATE "C" NOT NULL,
  "expires_at" bigint NOT NULL,
  "answer" bytea,
  PRIMARY KEY ("account", "key")
);
--> statement-breakpoint
CREATE INDEX "idempotency_by_end" ON "idempotency" ("expires_at");
--> statement-breakpoint
CREATE TABLE "webhook_events" (
  "id" text COLLATE "C" PRIMARY KEY,
  "type" text COLLATE "C" NOT NULL,
  "received_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "webhook_events_by_time" ON "webhook_events" ("received_at");
