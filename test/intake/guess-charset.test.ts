/** Which encoding bytes that are no UTF-8 seem to have, in tables that are mostly ASCII. */
import { expect, test } from 'bun:test';
import { guessCharset } from '../../src/intake/guess-charset.ts';

/** The bytes of texts in encodings that the platform only decodes: each character is looked for. */
function bytesOf(text: string, charset: string): number[] {
  const decoder = new TextDecoder(charset as Bun.Encoding);
  const singles = new Map(
    Array.from({ length: 128 }, (_, i) => [decoder.decode(Uint8Array.of(128 + i)), 128 + i] as const),
  );
  return [...text].map(character =>
    character.charCodeAt(0) < 128 ? character.charCodeAt(0) : (singles.get(character) ?? 0x3f),
  );
}

const tableOf = (words: string, charset: string): Uint8Array => {
  const list = words.split(' ');
  const rows = Array.from({ length: 40 }, (_, i) => `${i},${list[i % list.length]},open,${i * 1.5}\n`);
  return Uint8Array.from(bytesOf(`id,city,state,price\n${rows.join('')}`, charset));
};

test.each([
  ['windows-1252', 'Köln München Zürich Málaga Besançon Orléans Göteborg café élève'],
  ['windows-1250', 'Łódź Kraków Wrocław Gdańsk Plzeň Ústí Košice Žilina Győr Székesfehérvár Čakovec'],
  ['windows-1251', 'Москва Казань Новосибирск Екатеринбург Самара Иванов Петрова отправлен отменён оплачен'],
  ['koi8-r', 'Москва Казань Новосибирск Екатеринбург Самара Иванов Петрова отправлен'],
  ['macintosh', 'Köln München Zürich Málaga Besançon Orléans Göteborg café élève'],
])('%s', (charset, words) => {
  const guess = guessCharset(tableOf(words, charset));
  expect(guess?.charset).toBe(charset);
  // The others are said, and not used without asking.
  expect(guess?.isSure).toBe(charset === 'windows-1252');
});

test('Greek is not taken for western', () => {
  const guess = guessCharset(
    tableOf('Αθήνα Θεσσαλονίκη Πάτρα Ηράκλειο Λάρισα Βόλος παραγγελία', 'windows-1253'),
  );
  expect(['windows-1253', 'iso-8859-7']).toContain(guess!.charset);
});

test('GBK is sure: its pairs hardly occur elsewhere', () => {
  const words = [
    'b1b1bea9',
    'c9cfbaa3',
    'b9e3d6dd',
    'c9eedbda',
    'b3c9b6bc',
    'd2d1b7a2bbf5',
    'c8a1cffb',
    'b4fdb8b6bfee',
  ];
  const rows = Array.from({ length: 40 }, (_, i) => [
    ...Buffer.from(`${i},`),
    ...Buffer.from(words[i % words.length]!, 'hex'),
    ...Buffer.from(',open\n'),
  ]);
  expect(guessCharset(Uint8Array.from(rows.flat()))).toEqual({ charset: 'gb18030', isSure: true });
});

test('single letters are western', () => {
  expect(guessCharset(Uint8Array.from(Buffer.from('id,n\nZo\xeb,\xe4\n', 'latin1')))).toEqual({
    charset: 'windows-1252',
    isSure: true,
  });
});

test('nothing is guessed of ASCII, and hostile bytes take no time', () => {
  expect(guessCharset(new Uint8Array(Buffer.from('a,b\n1,2\n')))).toBeNull();
  const noise = Uint8Array.from({ length: 1_000_000 }, (_, i) => 128 + ((i * 97) % 128));
  const since = performance.now();
  guessCharset(noise);
  expect(performance.now() - since).toBeLessThan(2000);
});
