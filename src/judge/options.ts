/** What a request may override. The thresholds are fractions in 0..1, already checked and completed. */
export interface Thresholds {
  null_rate_warn: number;
  null_rate_block: number;
  type_mismatch_warn: number;
  type_mismatch_block: number;
  health_warn: number;
  health_block: number;
}

export interface ScreenOptions {
  fullScan: boolean;
  thresholds: Thresholds;
  /** One chunk of a larger batch (`total_batches` above 1): its row count says nothing. */
  chunk: boolean;
}
