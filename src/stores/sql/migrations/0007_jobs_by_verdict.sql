CREATE TABLE `feedback` (
	`job` text NOT NULL,
	`said` text NOT NULL,
	`by` text,
	`at` integer NOT NULL,
	PRIMARY KEY(`job`, `said`),
	FOREIGN KEY (`job`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `jobs_by_verdict` ON `jobs` (`account`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `jobs_by_source_and_verdict` ON `jobs` (`account`,`source`,`status`,`id`);