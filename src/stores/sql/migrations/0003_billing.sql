CREATE TABLE `subscriptions` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`status` text NOT NULL,
	`plan` text,
	`period_start` integer NOT NULL,
	`period_end` integer NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`account`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `subscriptions_by_account` ON `subscriptions` (`account`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `customer` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `paid_plan` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `paid_from` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `paid_to` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `paid_until` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `billing_version` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_by_customer` ON `accounts` (`customer`);--> statement-breakpoint
CREATE INDEX `accounts_by_paid_to` ON `accounts` (`paid_to`);