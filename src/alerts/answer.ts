/** Reads the final status of an HTTP/1.1 answer, and as few bytes as possible: the sender may be hostile. */

/** Maximum bytes up to the final status line, informational answers included. */
export const MAX_ANSWER_BYTES = 8192;
/** Maximum number of informational answers (1xx) before the final one. */
export const MAX_INFORMATIONAL = 4;

/** The message may be shown to the account: it says what its receiver did. */
export class NotDelivered extends Error {}

/** The receiver refuses this message for good: it is not sent again. */
export class Refused extends NotDelivered {}

const STATUS_LINE = /^HTTP\/1\.[01] ([1-9]\d\d)(?=[ \r]|$)/;

/** `answer`: what has arrived, at most MAX_ANSWER_BYTES. Returns null if more bytes are needed. Throws `NotDelivered`. */
export function finalStatus(answer: string): number | null {
  let at = 0;
  for (let informational = 0; informational <= MAX_INFORMATIONAL; informational++) {
    const lineEnd = answer.indexOf('\n', at);
    if (lineEnd < 0) return unfinished(answer);
    const status = Number(STATUS_LINE.exec(answer.slice(at, lineEnd))?.[1]);
    if (Number.isNaN(status)) throw new NotDelivered('its answer is not HTTP/1.1');
    // After 101 the connection speaks another protocol.
    if (status >= 200 || status === 101) return status;
    const end = answer.indexOf('\r\n\r\n', lineEnd - 1);
    if (end < 0) return unfinished(answer);
    at = end + 4;
  }
  throw new NotDelivered(`it sent more than ${MAX_INFORMATIONAL} informational answers (1xx)`);
}

function unfinished(answer: string): null {
  if (answer.length < MAX_ANSWER_BYTES) return null;
  throw new NotDelivered(`it sent ${MAX_ANSWER_BYTES} bytes without a final status`);
}
