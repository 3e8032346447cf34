CREATE TABLE "source_changes" (
  "id" text COLLATE "C" PRIMARY KEY NOT NULL,
  "account" text COLLATE "C" NOT NULL,
  "source" text COLLATE "C" NOT NULL,
  "action" text COLLATE "C" NOT NULL,
  "at" bigint NOT NULL,
  "by" text COLLATE "C" NOT NULL,
  "key" text COLLATE "C",
  "job" text COLLATE "C",
  "detail" text COLLATE "C"
);
--> statement-breakpoint
CREATE INDEX "source_changes_by_source" ON "source_changes" ("account","source","at");--> statement-breakpoint
CREATE INDEX "source_changes_by_account" ON "source_changes" ("account","at","id");
