-- What was counted before there was a ledger goes on counting; its requests were not.
INSERT INTO `ledger` SELECT `account`, `period_start`, 0, `rows`, 0 FROM `usage`;--> statement-breakpoint
INSERT INTO `allowance` SELECT `account`, `period_start`, `rows` FROM `usage`;--> statement-breakpoint
DROP TABLE `usage`;
