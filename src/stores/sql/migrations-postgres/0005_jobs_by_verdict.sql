CREATE TABLE "feedback" (
  "job" text COLLATE "C" NOT NULL REFERENCES "jobs"("id") ON DELETE CASCADE,
  "said" text COLLATE "C" NOT NULL,
  "by" text COLLATE "C",
  "at" bigint NOT NULL,
  PRIMARY KEY("job","said")
);
--> statement-breakpoint
CREATE INDEX "jobs_by_verdict" ON "jobs" ("account","status","id");--> statement-breakpoint
CREATE INDEX "jobs_by_source_and_verdict" ON "jobs" ("account","source","status","id");--> statement-breakpoint
CREATE STATISTICS "jobs_verdicts_of_accounts" (mcv) ON "account", "status" FROM "jobs";
