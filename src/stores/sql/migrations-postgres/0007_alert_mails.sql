CREATE TABLE "alert_mails" (
  "account" text COLLATE "C" NOT NULL,
  "at" bigint NOT NULL,
  FOREIGN KEY ("account") REFERENCES "accounts"("id") ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX "alert_mails_by_account" ON "alert_mails" ("account","at");--> statement-breakpoint
INSERT INTO "alert_mails" ("account","at")
SELECT "alert_deliveries"."account", "settled_at" FROM "alert_deliveries" JOIN "alert_channels" ON "alert_channels"."id" = "channel"
WHERE "alert_channels"."type" = 'email' AND "status" = 'delivered';
