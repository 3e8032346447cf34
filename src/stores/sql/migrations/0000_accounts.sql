CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`plan` text NOT NULL,
	`salt` blob NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_name_unique` ON `accounts` (`name`);--> statement-breakpoint
CREATE TABLE `keys` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used` integer,
	FOREIGN KEY (`account`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `keys_sha256_unique` ON `keys` (`sha256`);--> statement-breakpoint
CREATE INDEX `keys_by_account` ON `keys` (`account`);--> statement-breakpoint
CREATE TABLE `usage` (
	`account` text NOT NULL,
	`period_start` integer NOT NULL,
	`rows` integer NOT NULL,
	PRIMARY KEY(`account`, `period_start`)
);
