/** What batches of any length are given. */
import type { Logger } from 'pino';
import type { RecordScanner } from '../engine/record-starts.ts';
import type { ScreenDependencies } from '../screen/screen.ts';
import type { Baselines } from '../sources/baselines.ts';
import type { Account, BatchStore, WindowStore } from '../stores/ports.ts';
import type { Assembler } from '../threads/assembler.ts';
import type { ColumnCutter } from '../threads/column-cutter.ts';
import type { Uploads } from './uploads.ts';

export interface BatchDependencies extends ScreenDependencies {
  baselines: ScreenDependencies['baselines'] & Pick<Baselines, 'readAll'>;
  assembler: Assembler;
  scanner: RecordScanner;
  cutter: ColumnCutter;
  /** Bodies that are measured now. */
  uploads: Uploads;
}

export interface PartsDependencies extends BatchDependencies {
  batches: BatchStore;
  /** How long a batch may be open. */
  batchTtlHours: number;
  log: Pick<Logger, 'error'>;
}

export interface WindowDependencies extends PartsDependencies {
  windows: WindowStore;
  /** Null if there is no such account. */
  accounts: { account(id: string): Promise<Account | null> };
}
