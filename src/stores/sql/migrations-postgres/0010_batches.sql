CREATE TABLE "batches" (
  "id" text COLLATE "C" PRIMARY KEY,
  "account" text COLLATE "C" NOT NULL REFERENCES "accounts" ("id") ON DELETE CASCADE,
  "source" text COLLATE "C" NOT NULL,
  "options" text COLLATE "C",
  "begun" bytea NOT NULL,
  "status" text COLLATE "C" NOT NULL,
  "created_at" bigint NOT NULL,
  "expires_at" bigint NOT NULL,
  "key" text COLLATE "C",
  "request_sha256" text COLLATE "C",
  "request_id" text COLLATE "C",
  "answer" text COLLATE "C",
  "bytes" bigint NOT NULL DEFAULT 0
);
--> statement-breakpoint
CREATE INDEX "batches_by_account" ON "batches" ("account", "id");
--> statement-breakpoint
CREATE UNIQUE INDEX "batches_by_key" ON "batches" ("account", "key") WHERE key IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "batches_by_end" ON "batches" ("status", "expires_at");
--> statement-breakpoint
CREATE TABLE "batch_parts" (
  "batch" text COLLATE "C" NOT NULL REFERENCES "batches" ("id") ON DELETE CASCADE,
  "part" bigint NOT NULL,
  "rows" bigint NOT NULL,
  "sha256" text COLLATE "C" NOT NULL,
  "answer" text COLLATE "C" NOT NULL,
  "reasons" text COLLATE "C",
  "upload" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("batch", "part")
);
--> statement-breakpoint
CREATE TABLE "batch_states" (
  "batch" text COLLATE "C" NOT NULL REFERENCES "batches" ("id") ON DELETE CASCADE,
  "number" bigint NOT NULL,
  "state" bytea NOT NULL,
  PRIMARY KEY ("batch", "number")
);
--> statement-breakpoint
CREATE TABLE "batch_keys" (
  "place" text COLLATE "C" PRIMARY KEY,
  "batch" text COLLATE "C" NOT NULL REFERENCES "batches" ("id") ON DELETE CASCADE,
  "upload" text COLLATE "C" NOT NULL,
  "part" bigint NOT NULL,
  "keys" bytea NOT NULL
);
--> statement-breakpoint
CREATE INDEX "batch_keys_by_batch" ON "batch_keys" ("batch", "place");
--> statement-breakpoint
CREATE INDEX "batch_keys_by_upload" ON "batch_keys" ("upload");
