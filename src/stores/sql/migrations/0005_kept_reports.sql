CREATE TABLE `kept_reports` (
	`account` text NOT NULL,
	`shard` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`account`, `shard`)
);
--> statement-breakpoint
INSERT INTO `kept_reports` (`account`, `shard`, `bytes`)
SELECT `account`, unicode(substr(`id`, -1)) % 16,
  sum(512 + 3 * octet_length(`source`) + octet_length(`document`) + octet_length(`trend`) + coalesce(octet_length(`state`), 0))
FROM `jobs` JOIN `reports` ON `reports`.`job` = `id` LEFT JOIN `kept_states` ON `kept_states`.`job` = `id` GROUP BY 1, 2;
--> statement-breakpoint
CREATE TRIGGER `kept_report_added` AFTER INSERT ON `reports` BEGIN
  INSERT INTO `kept_reports` (`account`, `shard`, `bytes`)
  SELECT `account`, unicode(substr(`id`, -1)) % 16, 512 + 3 * octet_length(`source`) + octet_length(NEW.`document`) + octet_length(NEW.`trend`)
  FROM `jobs` WHERE `id` = NEW.`job`
  ON CONFLICT (`account`, `shard`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
END;
--> statement-breakpoint
CREATE TRIGGER `kept_state_added` AFTER INSERT ON `kept_states` BEGIN
  INSERT INTO `kept_reports` (`account`, `shard`, `bytes`)
  SELECT `account`, unicode(substr(`id`, -1)) % 16, octet_length(NEW.`state`) FROM `jobs` WHERE `id` = NEW.`job`
  ON CONFLICT (`account`, `shard`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
END;
--> statement-breakpoint
CREATE TRIGGER `kept_job_deleted` BEFORE DELETE ON `jobs` BEGIN
  UPDATE `kept_reports` SET `bytes` = `bytes`
    - coalesce((SELECT 512 + 3 * octet_length(OLD.`source`) + octet_length(`document`) + octet_length(`trend`) FROM `reports` WHERE `job` = OLD.`id`), 0)
    - coalesce((SELECT octet_length(`state`) FROM `kept_states` WHERE `job` = OLD.`id`), 0)
  WHERE `account` = OLD.`account` AND `shard` = unicode(substr(OLD.`id`, -1)) % 16;
END;
