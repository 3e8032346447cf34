ALTER TABLE `allowance` ADD `reserved_at` integer;--> statement-breakpoint
ALTER TABLE `allowance` ADD `counted_from` integer;--> statement-breakpoint
ALTER TABLE `idempotency` ADD `unfinished` text;