ALTER TABLE "incidents"
  ADD COLUMN "last_verdict" text COLLATE "C",
  ADD COLUMN "told_verdict" text COLLATE "C",
  ADD COLUMN "tell_next" text COLLATE "C";
--> statement-breakpoint
CREATE INDEX "alert_deliveries_by_incident" ON "alert_deliveries" ("incident","status","channel","id");
