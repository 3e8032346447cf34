CREATE TABLE `kept_states` (
	`job` text PRIMARY KEY NOT NULL,
	`state` blob NOT NULL,
	FOREIGN KEY (`job`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE cascade
);
