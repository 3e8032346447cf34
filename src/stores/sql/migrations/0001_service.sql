CREATE TABLE `allowance` (
	`account` text NOT NULL,
	`period_start` integer NOT NULL,
	`rows` integer NOT NULL,
	PRIMARY KEY(`account`, `period_start`)
);
--> statement-breakpoint
CREATE TABLE `codes` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`client` text NOT NULL,
	`sha256` text,
	`tries` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `codes_by_email` ON `codes` (`email`,`created_at`);--> statement-breakpoint
CREATE INDEX `codes_by_client` ON `codes` (`client`,`created_at`);--> statement-breakpoint
CREATE INDEX `codes_by_time` ON `codes` (`created_at`);--> statement-breakpoint
CREATE TABLE `idempotency` (
	`account` text NOT NULL,
	`key` text NOT NULL,
	`request_sha256` text NOT NULL,
	`claim` text NOT NULL,
	`expires_at` integer NOT NULL,
	`answer` blob,
	PRIMARY KEY(`account`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_by_end` ON `idempotency` (`expires_at`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`source` text NOT NULL,
	`status` text NOT NULL,
	`health_score` real NOT NULL,
	`rows_received` integer NOT NULL,
	`drift_count` integer NOT NULL,
	`latency_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`period_start` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `jobs_by_account` ON `jobs` (`account`,`id`,`source`,`status`,`health_score`,`rows_received`,`drift_count`,`created_at`);--> statement-breakpoint
CREATE INDEX `jobs_by_source` ON `jobs` (`account`,`source`,`id`);--> statement-breakpoint
CREATE INDEX `jobs_by_time` ON `jobs` (`created_at`);--> statement-breakpoint
CREATE TABLE `ledger` (
	`account` text NOT NULL,
	`period_start` integer NOT NULL,
	`shard` integer NOT NULL,
	`rows` integer NOT NULL,
	`requests` integer NOT NULL,
	PRIMARY KEY(`account`, `period_start`, `shard`)
);
--> statement-breakpoint
CREATE TABLE `reports` (
	`job` text PRIMARY KEY NOT NULL,
	`document` blob NOT NULL,
	`trend` blob NOT NULL,
	FOREIGN KEY (`job`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`sha256` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_by_account` ON `sessions` (`account`);--> statement-breakpoint
CREATE INDEX `sessions_by_end` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `webhook_events` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhook_events_by_time` ON `webhook_events` (`received_at`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `email` text;--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_email_unique` ON `accounts` (`email`);