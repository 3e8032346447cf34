CREATE TABLE `window_findings` (
	`batch` text NOT NULL,
	`kind` text NOT NULL,
	`field` text NOT NULL,
	`rule` text NOT NULL,
	`severity` text NOT NULL,
	`posts` integer NOT NULL,
	PRIMARY KEY(`batch`, `kind`, `field`, `rule`, `severity`),
	FOREIGN KEY (`batch`) REFERENCES `batches`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `windows` (
	`batch` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`source` text NOT NULL,
	`is_open` integer NOT NULL,
	`due_at` integer,
	`most_rows` integer NOT NULL,
	`rows` integer NOT NULL,
	`bytes` integer NOT NULL,
	`next_number` integer NOT NULL,
	FOREIGN KEY (`batch`) REFERENCES `batches`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `windows_by_source` ON `windows` (`account`,`source`) WHERE is_open = 1;--> statement-breakpoint
CREATE INDEX `windows_by_end` ON `windows` (`due_at`) WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `windows_by_account` ON `windows` (`account`) WHERE due_at IS NOT NULL;