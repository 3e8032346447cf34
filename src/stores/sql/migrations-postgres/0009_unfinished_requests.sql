ALTER TABLE "allowance"
  ADD COLUMN "reserved_at" bigint,
  ADD COLUMN "counted_from" bigint;
--> statement-breakpoint
ALTER TABLE "idempotency" ADD COLUMN "unfinished" text COLLATE "C";
