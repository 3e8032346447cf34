import { describe, expect, test } from 'bun:test';
import { Lines, textOf } from '../../src/metrics/log.ts';

const TIME = '2026-11-21T12:01:07.123Z';
const text = (members: object) => textOf(JSON.stringify({ level: 30, time: TIME, ...members }));

describe('at a terminal', () => {
  test('a request is one line that starts with the main values', () => {
    const line = text({
      id: 'req_1',
      account: 'owner',
      method: 'POST',
      route: '/v1/screen',
      status: 200,
      ms: 1.5,
      rows: 10,
      verdict: 'PASS',
      stages: { admit: 0.1, parse: 0.2 },
      msg: 'answered',
    });
    expect(line).toBe(
      '12:01:07.123 info  POST /v1/screen 200 PASS id=req_1 account=owner ms=1.5 rows=10 stages={admit=0.1 parse=0.2}\n',
    );
  });

  test('a rejection shows its code', () => {
    const line = text({
      level: 40,
      method: 'GET',
      route: '/v1/jobs',
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      msg: 'answered',
    });
    expect(line).toBe('12:01:07.123 warn  GET /v1/jobs 503 SERVICE_UNAVAILABLE\n');
  });

  test('other lines show the message and its fields', () => {
    expect(text({ url: 'http://127.0.0.1:8080', msg: 'listening' })).toBe(
      '12:01:07.123 info  listening url=http://127.0.0.1:8080\n',
    );
    expect(text({ level: 40, code: 'X', reason: 'gone', missing: ['a', 'b'], msg: 'a store' })).toBe(
      '12:01:07.123 warn  a store code=X reason=gone missing=a,b\n',
    );
  });

  test('an error includes its stack', () => {
    const err = { type: 'Error', message: 'm', stack: 'Error: m\n    at f\u001b[31m (a.ts:1)' };
    expect(text({ level: 50, err, msg: 'bug' })).toBe(
      '12:01:07.123 error bug\nError: m\n    at f?[31m (a.ts:1)\n',
    );
  });

  test('control characters and line breaks are replaced', () => {
    const line = text({ reason: 'a\u001b[2Jb\nc\u0007\u009b\u2028\u202e', msg: 'x\ry' });
    expect(line).toBe('12:01:07.123 info  x?y reason=a?[2Jb?c????\n');
  });
});

describe('a line that cannot be written', () => {
  const failing = (code: string) => Object.assign(new Error(code), { code });

  /** An output that does with each piece what the next step says: takes so many bytes, or fails. */
  function output(...steps: (number | string)[]) {
    const taken: Uint8Array[] = [];
    const lines = new Lines(bytes => {
      const step = steps.shift() ?? bytes.length;
      if (typeof step === 'string') throw failing(step);
      taken.push(bytes.slice(0, step));
      return Math.min(step, bytes.length);
    });
    const flushed = (line: string) => {
      lines.write(line);
      lines.flush();
    };
    return { flushed, text: () => Buffer.concat(taken).toString() };
  }

  test('is lost, but the next lines are not', () => {
    const { flushed, text } = output('ENOSPC', 'EPIPE');
    for (const line of ['a\n', 'b\n', 'c\n']) flushed(line);
    expect(text()).toBe('c\n');
  });

  test('does not run into the next line if a part was written', () => {
    const { flushed, text } = output(1, 'ENOSPC', 'EIO');
    for (const line of ['ab\n', 'cd\n', 'ef\n', 'gh\n']) flushed(line);
    expect(text()).toBe('a\nef\ngh\n');
  });

  test('is written completely when its reader catches up', () => {
    const { flushed, text } = output(2, 'EAGAIN', 1, 'EAGAIN');
    flushed('é€\n');
    flushed('x\n');
    expect(text()).toBe('é€\nx\n');
  });
});
