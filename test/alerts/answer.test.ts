import { describe, expect, test } from 'bun:test';
import { finalStatus, MAX_ANSWER_BYTES, MAX_INFORMATIONAL } from '../../src/alerts/answer.ts';

const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

describe('the final status', () => {
  test.each([
    ['HTTP/1.1 200 OK\r\n', 200],
    ['HTTP/1.0 204\r\n', 204],
    ['HTTP/1.1 503 \r\nRetry-After: 1\r\n', 503],
    ['HTTP/1.1 500 Internal Server Error\nServer: x\n', 500],
    [`${CONTINUE}HTTP/1.1 201 Created\r\n`, 201],
    [`${HINTS}${CONTINUE}HTTP/1.1 400 No\r\n`, 400],
    ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n', 101],
  ])('of %j is %i', (answer, status) => {
    expect(finalStatus(answer)).toBe(status);
  });

  test('is found in whatever pieces the answer arrives', () => {
    const answer = `${HINTS}${CONTINUE}HTTP/1.1 202 Accepted\r\n`;
    for (let end = 0; end < answer.length; end++) expect(finalStatus(answer.slice(0, end))).toBeNull();
    expect(finalStatus(answer)).toBe(202);
  });

  test.each(['HTTP/2 200\r\n', 'SSH-2.0-x\r\n', 'HTTP/1.1 20\r\n', 'HTTP/1.1 2000\r\n', '\r\n'])(
    'is missing in %j',
    answer => {
      expect(() => finalStatus(answer)).toThrow('its answer is not HTTP/1.1');
    },
  );

  test(`comes after ${MAX_INFORMATIONAL} informational answers at most`, () => {
    const most = HINTS.repeat(MAX_INFORMATIONAL);
    expect(finalStatus(`${most}HTTP/1.1 200 OK\r\n`)).toBe(200);
    expect(() => finalStatus(`${most}${HINTS}HTTP/1.1 200 OK\r\n`)).toThrow(
      `it sent more than ${MAX_INFORMATIONAL} informational answers (1xx)`,
    );
  });

  test(`comes within ${MAX_ANSWER_BYTES} bytes`, () => {
    const hints = (bytes: number) =>
      'HTTP/1.1 103 x\r\nLink: \r\n\r\n'.replace(': ', `: ${'x'.repeat(bytes)}`);
    const final = 'HTTP/1.1 200 OK\r\n';
    const room = MAX_ANSWER_BYTES - final.length - hints(0).length;
    expect(finalStatus(`${hints(room)}${final}`)).toBe(200);
    const late = `${hints(room + 1)}${final}`.slice(0, MAX_ANSWER_BYTES);
    expect(() => finalStatus(late)).toThrow(`it sent ${MAX_ANSWER_BYTES} bytes without a final status`);
    expect(() => finalStatus('x'.repeat(MAX_ANSWER_BYTES))).toThrow('without a final status');
    expect(finalStatus('x'.repeat(MAX_ANSWER_BYTES - 1))).toBeNull();
  });
});
