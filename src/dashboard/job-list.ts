/** The list of jobs that a page has read: pages of older ones at its end, new ones at its beginning. Pure. */
import type { Job } from './contract.ts';

export interface JobList {
  /** Newest first. */
  found: readonly Job[];
  /** Whether no older jobs exist. */
  isAll: boolean;
}

export const NO_JOBS: JobList = { found: [], isAll: false };

export const PAGE_SIZE = 200;
/** Jobs that are looked for while the page is open. */
export const LIVE_SIZE = 50;

export const withOlder = ({ found }: JobList, page: readonly Job[]): JobList => ({
  found: [...found, ...page],
  isAll: page.length < PAGE_SIZE,
});

/** Jobs of the newest page that the list lacks. A job that took long may belong below the first. */
export function newIn({ found }: JobList, page: readonly Job[]): Job[] {
  const known = new Set(found.slice(0, PAGE_SIZE).map(({ id }) => id));
  const last = found[Math.min(found.length, PAGE_SIZE) - 1]?.id ?? '';
  return page.filter(({ id }) => id > last && !known.has(id));
}

/** The list with them. If there may be others between, it begins again with the page. */
export function withNew(list: JobList, page: readonly Job[]): JobList {
  const fresh = newIn(list, page);
  if (fresh.length === 0) return list;
  if (fresh.length === LIVE_SIZE) return { found: page, isAll: false };
  const found = [...fresh, ...list.found].sort((a, b) => (a.id < b.id ? 1 : -1));
  return { found, isAll: list.isAll };
}
