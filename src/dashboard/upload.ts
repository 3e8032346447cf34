/** Sends a batch and reports progress. `fetch` cannot report the progress of an upload. */
import { errorIn } from '../client/sluice-error.ts';
import type { ScreenRequest } from './batch.ts';
import type { Report } from './contract.ts';
import { authorization, base, failureOf, unreachable } from './api.ts';

export interface Upload {
  /** Rejects with `Failure`, or with an `AbortError` after `stop`. */
  report: Promise<Report>;
  stop(): void;
}

/** Calls `sent` with the share that has been sent, 0..1. */
export function screen({ headers, body }: ScreenRequest, sent: (share: number) => void): Upload {
  const request = new XMLHttpRequest();
  const report = new Promise<Report>((resolve, reject) => {
    request.open('POST', `${base}/v1/screen`);
    for (const [name, value] of Object.entries({ ...headers, ...authorization() }))
      request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => sent(total === 0 ? 1 : loaded / total);
    request.upload.onload = () => sent(1);
    request.onload = () => {
      const { status, responseText } = request;
      if (status === 200) resolve(reportIn(responseText));
      else reject(failureOf(errorIn({ status, headers: new Headers(), text: responseText }, 0)));
    };
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(new DOMException('Stopped', 'AbortError'));
    request.send(body);
  });
  return { report, stop: () => request.abort() };
}

/** Rejects if the answer is no report, for example the page of a proxy. */
const reportIn = async (text: string): Promise<Report> => JSON.parse(text) as Report;
