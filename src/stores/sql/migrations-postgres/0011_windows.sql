CREATE TABLE "windows" (
  "batch" text COLLATE "C" PRIMARY KEY REFERENCES "batches" ("id") ON DELETE CASCADE,
  "account" text COLLATE "C" NOT NULL,
  "source" text COLLATE "C" NOT NULL,
  "is_open" bigint NOT NULL,
  "due_at" bigint,
  "most_rows" bigint NOT NULL,
  "rows" bigint NOT NULL,
  "bytes" bigint NOT NULL,
  "next_number" bigint NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "windows_by_source" ON "windows" ("account", "source") WHERE is_open = 1;
--> statement-breakpoint
CREATE INDEX "windows_by_end" ON "windows" ("due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "windows_by_account" ON "windows" ("account") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE TABLE "window_findings" (
  "batch" text COLLATE "C" NOT NULL REFERENCES "batches" ("id") ON DELETE CASCADE,
  "kind" text COLLATE "C" NOT NULL,
  "field" text COLLATE "C" NOT NULL,
  "rule" text COLLATE "C" NOT NULL,
  "severity" text COLLATE "C" NOT NULL,
  "posts" bigint NOT NULL,
  PRIMARY KEY ("batch", "kind", "field", "rule", "severity")
);
