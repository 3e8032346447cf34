CREATE TABLE "alert_channels" (
  "id" text COLLATE "C" PRIMARY KEY NOT NULL,
  "account" text COLLATE "C" NOT NULL,
  "type" text COLLATE "C" NOT NULL,
  "name" text COLLATE "C" NOT NULL,
  "target" text COLLATE "C" NOT NULL,
  "sources" text COLLATE "C" NOT NULL,
  "threshold" text COLLATE "C" NOT NULL,
  "secrets" text COLLATE "C" NOT NULL,
  "created_at" bigint NOT NULL,
  "failing_since" bigint,
  FOREIGN KEY ("account") REFERENCES "accounts"("id") ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX "alert_channels_by_account" ON "alert_channels" ("account","created_at");--> statement-breakpoint
CREATE TABLE "alert_deliveries" (
  "id" text COLLATE "C" PRIMARY KEY NOT NULL,
  "account" text COLLATE "C" NOT NULL,
  "channel" text COLLATE "C" NOT NULL,
  "incident" text COLLATE "C",
  "type" text COLLATE "C" NOT NULL,
  "payload" text COLLATE "C" NOT NULL,
  "status" text COLLATE "C" NOT NULL,
  "attempts" bigint NOT NULL,
  "created_at" bigint NOT NULL,
  "next_at" bigint NOT NULL,
  "settled_at" bigint,
  "error" text COLLATE "C",
  FOREIGN KEY ("channel") REFERENCES "alert_channels"("id") ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX "alert_deliveries_due" ON "alert_deliveries" ("status","next_at");--> statement-breakpoint
CREATE INDEX "alert_deliveries_by_account" ON "alert_deliveries" ("account","id");--> statement-breakpoint
CREATE INDEX "alert_deliveries_by_channel" ON "alert_deliveries" ("channel", "id");--> statement-breakpoint
CREATE INDEX "alert_deliveries_by_time" ON "alert_deliveries" ("created_at");--> statement-breakpoint
CREATE TABLE "bad_batches" (
  "job" text COLLATE "C" PRIMARY KEY NOT NULL,
  "account" text COLLATE "C" NOT NULL,
  "source" text COLLATE "C" NOT NULL,
  "verdict" text COLLATE "C" NOT NULL,
  "health_score" double precision NOT NULL,
  "reason" text COLLATE "C" NOT NULL,
  "at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "incidents" (
  "id" text COLLATE "C" PRIMARY KEY NOT NULL,
  "account" text COLLATE "C" NOT NULL,
  "source" text COLLATE "C" NOT NULL,
  "status" text COLLATE "C" NOT NULL,
  "verdict" text COLLATE "C" NOT NULL,
  "opened_at" bigint NOT NULL,
  "resolved_at" bigint,
  "batches" bigint NOT NULL,
  "first_job" text COLLATE "C" NOT NULL,
  "last_job" text COLLATE "C" NOT NULL,
  "last_at" bigint NOT NULL,
  "health_score" double precision NOT NULL,
  "reason" text COLLATE "C" NOT NULL,
  "acknowledged_at" bigint,
  "snoozed_until" bigint,
  "told_at" bigint,
  "version" bigint NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "incidents_open" ON "incidents" ("account","source") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX "incidents_by_source" ON "incidents" ("account","source","id");--> statement-breakpoint
CREATE INDEX "incidents_by_account" ON "incidents" ("account","id");--> statement-breakpoint
CREATE INDEX "incidents_by_end" ON "incidents" ("resolved_at");
