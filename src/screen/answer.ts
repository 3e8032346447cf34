/** Answers to requests. */
import { withLatency, withWindow } from '../report/completion.ts';
import { type Response200, replayOf, responseOf } from '../report/response.ts';
import type { Report, WindowSoFar } from '../report-schema/report.ts';
import type { SaidOfPost } from '../threads/post-alone.ts';
import type { Judged } from '../threads/tasks.ts';
import type { AnswerToPost, Batch, Screened } from './dependencies.ts';

export class Answer implements Screened {
  #report: Report | null = null;

  constructor(
    readonly body: string,
    readonly headers: Record<string, string>,
    readonly remainingRows: number,
    readonly replayed: boolean,
    readonly latencyMs = 0,
    readonly findings: Judged['findings'] = null,
  ) {}

  /** Most callers send the text and never ask for it. */
  get report(): Report {
    this.#report ??= JSON.parse(this.body) as Report;
    return this.#report;
  }
}

/** An answer that was given before. */
export function repeated(stored: Response200): Screened {
  const { body, headers } = replayOf(stored);
  return new Answer(body, headers, Number(stored.headers['X-RateLimit-Remaining']), true);
}

/** What is said of a post to a source with a window, that window, and how many rows are left of the plan's allowance. */
export type SaidAndLeft = [said: SaidOfPost, window: WindowSoFar | null, remainingRows: number];

export function answerToPost(
  { account, marks, upload }: Batch,
  ...[{ head, body, keptBody }, window, remainingRows]: SaidAndLeft
): AnswerToPost {
  const latencyMs = Math.ceil(upload.busyMs);
  const said = (text: string) => withLatency(window ? withWindow(text, window) : text, latencyMs);
  const kept = responseOf(head, said(keptBody), latencyMs, account.plan, remainingRows);
  const text = body === keptBody ? kept.body : said(body);
  const headers = { ...kept.headers, ...marks };
  return { screened: new Answer(text, headers, remainingRows, false, latencyMs), kept };
}
