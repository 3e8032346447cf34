/** How large a window may be: the same of all streams. */
import { MAX_ROWS } from '../../../assembly/abi.ts';
import type { Member } from './member.ts';

const MAX_WINDOW_MS = 3_600_000;

/** A window ends at the first of these. */
export interface WindowLimits {
  rows: number;
  bytes: number;
  ms: number;
}

/** `usual`: limits that are not given. */
export function windowIn(member: Member, maxBodyBytes: number, usual: WindowLimits): WindowLimits {
  member.only(['rows', 'bytes', 'ms'], 'window');
  const most = Math.max(1024, Math.floor(maxBodyBytes / 2));
  return {
    rows: member.at('rows').integer(1, MAX_ROWS, usual.rows),
    // A batch has the header of a CSV too.
    bytes: member.at('bytes').integer(1024, most, Math.min(usual.bytes, most)),
    ms: member.at('ms').integer(10, MAX_WINDOW_MS, usual.ms),
  };
}
