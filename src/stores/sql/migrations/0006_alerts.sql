CREATE TABLE `alert_channels` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`type` text NOT NULL,
	`name` text NOT NULL,
	`target` text NOT NULL,
	`sources` text NOT NULL,
	`threshold` text NOT NULL,
	`secrets` text NOT NULL,
	`created_at` integer NOT NULL,
	`failing_since` integer,
	FOREIGN KEY (`account`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `alert_channels_by_account` ON `alert_channels` (`account`,`created_at`);--> statement-breakpoint
CREATE TABLE `alert_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`channel` text NOT NULL,
	`incident` text,
	`type` text NOT NULL,
	`payload` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`next_at` integer NOT NULL,
	`settled_at` integer,
	`error` text,
	FOREIGN KEY (`channel`) REFERENCES `alert_channels`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `alert_deliveries_due` ON `alert_deliveries` (`status`,`next_at`);--> statement-breakpoint
CREATE INDEX `alert_deliveries_by_account` ON `alert_deliveries` (`account`,`id`);--> statement-breakpoint
CREATE INDEX `alert_deliveries_by_channel` ON `alert_deliveries` (`channel`,`id`);--> statement-breakpoint
CREATE INDEX `alert_deliveries_by_time` ON `alert_deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `bad_batches` (
	`job` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`source` text NOT NULL,
	`verdict` text NOT NULL,
	`health_score` real NOT NULL,
	`reason` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `incidents` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`source` text NOT NULL,
	`status` text NOT NULL,
	`verdict` text NOT NULL,
	`opened_at` integer NOT NULL,
	`resolved_at` integer,
	`batches` integer NOT NULL,
	`first_job` text NOT NULL,
	`last_job` text NOT NULL,
	`last_at` integer NOT NULL,
	`health_score` real NOT NULL,
	`reason` text NOT NULL,
	`acknowledged_at` integer,
	`snoozed_until` integer,
	`told_at` integer,
	`version` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `incidents_open` ON `incidents` (`account`,`source`) WHERE status = 'open';--> statement-breakpoint
CREATE INDEX `incidents_by_source` ON `incidents` (`account`,`source`,`id`);--> statement-breakpoint
CREATE INDEX `incidents_by_account` ON `incidents` (`account`,`id`);--> statement-breakpoint
CREATE INDEX `incidents_by_end` ON `incidents` (`resolved_at`);