ALTER TABLE `incidents` ADD `last_verdict` text;--> statement-breakpoint
ALTER TABLE `incidents` ADD `told_verdict` text;--> statement-breakpoint
ALTER TABLE `incidents` ADD `tell_next` text;--> statement-breakpoint
CREATE INDEX `alert_deliveries_by_incident` ON `alert_deliveries` (`incident`,`status`,`channel`,`id`);