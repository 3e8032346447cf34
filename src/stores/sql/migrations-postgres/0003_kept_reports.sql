CREATE TABLE "kept_reports" (
  "account" text COLLATE "C" NOT NULL,
  "shard" bigint NOT NULL,
  "bytes" bigint NOT NULL,
  PRIMARY KEY ("account", "shard")
);
--> statement-breakpoint
INSERT INTO "kept_reports" ("account", "shard", "bytes")
SELECT "account", ascii(right("id", 1)) % 16,
  sum(512 + 3 * octet_length("source") + octet_length("document") + octet_length("trend") + coalesce(octet_length("state"), 0))
FROM "jobs" JOIN "reports" ON "reports"."job" = "id" LEFT JOIN "kept_states" ON "kept_states"."job" = "id" GROUP BY 1, 2;
--> statement-breakpoint
CREATE FUNCTION "count_kept_report"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "kept_reports" AS kept ("account", "shard", "bytes")
  SELECT "account", ascii(right("id", 1)) % 16, 512 + 3 * octet_length("source") + octet_length(NEW."document") + octet_length(NEW."trend")
  FROM "jobs" WHERE "id" = NEW."job"
  ON CONFLICT ("account", "shard") DO UPDATE SET "bytes" = kept."bytes" + excluded."bytes";
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "count_kept_state"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "kept_reports" AS kept ("account", "shard", "bytes")
  SELECT "account", ascii(right("id", 1)) % 16, octet_length(NEW."state") FROM "jobs" WHERE "id" = NEW."job"
  ON CONFLICT ("account", "shard") DO UPDATE SET "bytes" = kept."bytes" + excluded."bytes";
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "count_deleted_job"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "kept_reports" SET "bytes" = "bytes"
    - coalesce((SELECT 512 + 3 * octet_length(OLD."source") + octet_length("document") + octet_length("trend") FROM "reports" WHERE "job" = OLD."id"), 0)
    - coalesce((SELECT octet_length("state") FROM "kept_states" WHERE "job" = OLD."id"), 0)
  WHERE "account" = OLD."account" AND "shard" = ascii(right(OLD."id", 1)) % 16;
  RETURN OLD;
END $$;
--> statement-breakpoint
CREATE TRIGGER "kept_report_added" AFTER INSERT ON "reports" FOR EACH ROW EXECUTE FUNCTION "count_kept_report"();
--> statement-breakpoint
CREATE TRIGGER "kept_state_added" AFTER INSERT ON "kept_states" FOR EACH ROW EXECUTE FUNCTION "count_kept_state"();
--> statement-breakpoint
CREATE TRIGGER "kept_job_deleted" BEFORE DELETE ON "jobs" FOR EACH ROW EXECUTE FUNCTION "count_deleted_job"();
