CREATE TABLE `source_changes` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`source` text NOT NULL,
	`action` text NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`key` text,
	`job` text,
	`detail` text
);
--> statement-breakpoint
CREATE INDEX `source_changes_by_source` ON `source_changes` (`account`,`source`,`at`);--> statement-breakpoint
CREATE INDEX `source_changes_by_account` ON `source_changes` (`account`,`at`,`id`);