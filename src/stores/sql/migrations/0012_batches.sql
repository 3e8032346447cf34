CREATE TABLE `batch_keys` (
	`place` text PRIMARY KEY NOT NULL,
	`batch` text NOT NULL,
	`upload` text NOT NULL,
	`part` integer NOT NULL,
	`keys` blob NOT NULL,
	FOREIGN KEY (`batch`) REFERENCES `batches`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `batch_keys_by_batch` ON `batch_keys` (`batch`,`place`);--> statement-breakpoint
CREATE INDEX `batch_keys_by_upload` ON `batch_keys` (`upload`);--> statement-breakpoint
CREATE TABLE `batch_parts` (
	`batch` text NOT NULL,
	`part` integer NOT NULL,
	`rows` integer NOT NULL,
	`sha256` text NOT NULL,
	`answer` text NOT NULL,
	`reasons` text,
	`upload` text NOT NULL,
	PRIMARY KEY(`batch`, `part`),
	FOREIGN KEY (`batch`) REFERENCES `batches`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `batch_states` (
	`batch` text NOT NULL,
	`number` integer NOT NULL,
	`state` blob NOT NULL,
	PRIMARY KEY(`batch`, `number`),
	FOREIGN KEY (`batch`) REFERENCES `batches`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `batches` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`source` text NOT NULL,
	`options` text,
	`begun` blob NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`key` text,
	`request_sha256` text,
	`request_id` text,
	`answer` text,
	`bytes` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`account`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `batches_by_account` ON `batches` (`account`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `batches_by_key` ON `batches` (`account`,`key`) WHERE key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `batches_by_end` ON `batches` (`status`,`expires_at`);