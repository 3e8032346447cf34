/** Which fields of a profile are said to be personal data, as JSON and CSV, in one body and in slices. */
import { describe, expect, test } from 'bun:test';
import { Format } from '../../assembly/abi.ts';
import { describe as describeProfile } from '../../src/profile/describe.ts';
import { readProfile } from '../../src/profile/read.ts';
import { redactProfile } from '../../src/report/redact-profile.ts';
import { recordOf } from '../../src/states/record.ts';
import { valueQueriesOf } from '../../src/states/queries.ts';
import { WholeBatch } from '../../src/threads/whole-batch.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';

const ROWS = 500;
const luhn = (digits: string): number => {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return (10 - (sum % 10)) % 10;
};
const padded = (i: number, digits: number) =>
  String((i * 7_919 + 104_729) % 10 ** digits).padStart(digits, '0');
const cardOf = (i: number) => {
  const start = `4539${padded(i, 11)}`;
  return start + luhn(start);
};
const ibanOf = (i: number) => {
  const account = `3704004405320${padded(i, 5)}`;
  return `DE${String(98n - (BigInt(`${account}131400`) % 97n)).padStart(2, '0')}${account}`;
};

const PERSONAL: Record<string, [(i: number) => string, string]> = {
  mail: [i => `person${i}@example.com`, 'email'],
  card: [cardOf, 'card_number'],
  account: [ibanOf, 'iban'],
  contact: [i => `+49 30 ${padded(i, 7)}`, 'phone'],
  work_phone: [i => `030${padded(i, 7)}`, 'phone'],
  source: [i => `203.0.${i % 256}.${(i * 7) % 256}`, 'ip_address'],
  remote: [i => `2001:db8::${i.toString(16)}:7`, 'ip_address'],
};

/** Columns as public files have them, which are none. */
const OTHERS: Record<string, (i: number) => string> = {
  order_id: i => `4539${padded(i, 12)}`,
  tweet_id: i => `59${padded(i, 16)}`,
  device: i => `35${padded(i, 13)}`,
  epoch: i => String(1_700_000_000 + i * 61),
  epoch_ms: i => String(1_700_000_000_000 + i * 61_001),
  stamp: i => `2026-01-${String(1 + (i % 28)).padStart(2, '0')} 12:${String(i % 60).padStart(2, '0')}:07`,
  compact: i => `202601${String(1 + (i % 28)).padStart(2, '0')}`,
  version: i => `${1 + (i % 3)}.${i % 12}.${i % 7}.${i % 40}`,
  browser: i => `96.0.${4000 + i}.${i % 200}`,
  isbn: i => `978-3-16-1${padded(i, 5)}-${i % 10}`,
  ean: i => `40${padded(i, 11)}`,
  amount: i => (i * 1013.37).toFixed(2),
  coordinates: i => `${(i / 7).toFixed(6)}`,
  part: i => `${String(100 + (i % 900))}-${padded(i, 3)}-${padded(i * 3, 4)}`,
  security: i => `${String(100 + (i % 900))}-${String(10 + (i % 90))}-${padded(i, 4)}`,
  uuid: i => `f47ac10b-58cc-4372-a567-${padded(i, 12)}`,
  mac: i => `00:1b:44:11:3a:${(i % 256).toString(16).padStart(2, '0')}`,
  lei: i => `5299${padded(i, 14)}55`,
  handle: i => `@person${i}`,
  url: i => `https://example.com/${i}@v2`,
};

const makers: [string, (i: number) => string][] = [
  ...Object.entries(PERSONAL).map(([name, [make]]): [string, (i: number) => string] => [name, make]),
  ...Object.entries(OTHERS),
];
const CSV = [
  makers.map(([name]) => name).join(','),
  ...Array.from({ length: ROWS }, (_, i) => makers.map(([, make]) => make(i)).join(',')),
];
const JSON_BODY = JSON.stringify({
  rows: Array.from({ length: ROWS }, (_, i) =>
    Object.fromEntries(makers.map(([name, make]) => [name, make(i)])),
  ),
});
const EXPECTED = Object.fromEntries(makers.map(([name]) => [name, PERSONAL[name]?.[1]]));

const typesOf = (profile: ReturnType<typeof describeProfile>): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(profile.fields).map(([name, field]) => [name, field.semantic_type?.type]),
  );

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('fields that are likely to be personal data', () => {
  test('are told from ids, times, versions and codes in CSV', () => {
    const profile = screenBytes(ENGINE, bytesOf(CSV.join('\n')), { format: Format.CSV }).profile!;
    expect(typesOf(describeProfile(profile, ENGINE.queries))).toEqual(EXPECTED);
  });

  test('are told in JSON, of texts and of numbers', () => {
    const { profile } = screenBytes(ENGINE, bytesOf(JSON_BODY));
    expect(typesOf(describeProfile(profile!, ENGINE.queries))).toEqual(EXPECTED);
    const rows = Array.from({ length: ROWS }, (_, i) => ({
      card: Number(cardOf(i)),
      id: Number(`4539${padded(i, 12)}`),
    }));
    const ofNumbers = screenBytes(ENGINE, bytesOf(JSON.stringify({ rows }))).profile!;
    expect(typesOf(describeProfile(ofNumbers, ENGINE.queries))).toEqual({
      card: 'card_number',
      id: undefined,
    });
  });

  test('keep their type and share where no values are kept', () => {
    const { profile } = screenBytes(ENGINE, bytesOf(JSON_BODY));
    const { mail } = redactProfile(describeProfile(profile!, ENGINE.queries)).fields;
    expect(mail!.semantic_type).toEqual({ type: 'email', share: 1 });
  });
});

test('the share is of values that are neither null nor empty', () => {
  const or = (i: number, text: string) =>
    i % 3 === 0 ? null : i % 3 === 1 ? '' : i % 24 === 2 ? 'none' : text;
  const rows = Array.from({ length: 60 }, (_, i) => ({
    mail: or(i, `p${i}@example.com`),
    account: or(i, ibanOf(i)),
  }));
  const { profile } = screenBytes(ENGINE, bytesOf(JSON.stringify({ rows })));
  const { mail, account } = describeProfile(profile!, ENGINE.queries).fields;
  expect(mail!.semantic_type).toEqual({ type: 'email', share: 0.85 });
  // Of some of the cells.
  expect(account!.semantic_type!.type).toBe('iban');
  expect(account!.semantic_type!.share).toBeWithin(0.8, 0.95);
});

test('a file that is measured in slices has the same types', () => {
  const [header, ...lines] = CSV;
  const batch = new WholeBatch(null);
  for (let row = 0, part = 0; row < ROWS; row += 120, part++) {
    screenBytes(ENGINE, bytesOf([header, ...lines.slice(row, row + 120)].join('\n')), { format: Format.CSV });
    batch.add(ENGINE, { part, row: 0, line: 1 }, []);
  }
  const state = batch.end()!;
  const profile = readProfile(recordOf(state, (_, line) => line));
  expect(typesOf(describeProfile(profile, valueQueriesOf(state)))).toEqual(EXPECTED);
});
