import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { isOddName, isSpreadsheetError, marksOf, similarNames } from '../../src/signs/texts.ts';

/** As a program writes text whose UTF-8 it read as windows-1252, or as ISO 8859-1. */
const misread = (text: string, encoding: 'windows-1252' | 'latin1'): string =>
  encoding === 'latin1'
    ? Buffer.from(text).toString('latin1')
    : new TextDecoder('windows-1252').decode(new TextEncoder().encode(text));

const WORDS = [
  ...[
    'Köln',
    'München',
    'Zürich',
    'Straße',
    'Ärger',
    'Über',
    'Österreich',
    'été',
    'façade',
    'naïve',
    'Ångström',
    'smørrebrød',
  ],
  ...[
    'año',
    'corazón',
    'São Paulo',
    'ação',
    'Łódź',
    'žluťoučký',
    'Ağrı',
    'привет',
    'Ελλάδα',
    'don’t',
    '“quoted”',
    'a – b',
  ],
  ...['5 €', '20 °C', '£5', '½ l', '日本語', '你好', '서울', 'مرحبا', '👍 ok', 'München ©'],
];

test.each(WORDS)('%s that was read in the wrong encoding is mojibake, and as it is, is not', word => {
  expect(marksOf(word)).toEqual([]);
  for (const encoding of ['windows-1252', 'latin1'] as const)
    expect(marksOf(misread(word, encoding))).toContain('mojibake');
});

test.each([
  ...[
    'NÃO',
    'IRMÃ»',
    'MAÇÃ',
    'CORAÇÃO',
    'LÂMINA',
    'ROMÂNIA',
    'PÃO – CÃO',
    '« ÇA »',
    'GARÇON…',
    'CAFÉ™',
    'DÉJÀ-VU',
    '“É”',
    'À',
    'Ñandú',
    'ÖL®',
  ],
  ...['Ærø', 'É’s', 'Große Straße', 'l’été', 'naïve', 'Žižek', 'm² · s', '1º', 'Ü²'],
  ...[
    'می‌خواهم',
    'کتاب‌ها',
    '\u200fשלום\u200f',
    'العربية\u200e',
    'ภาษา\u200bไทย',
    'ខ្មែរ\u200bភាសា',
    '👩‍👩‍👧',
    'क्‍ष',
    'a\u00adb',
    'a\u00a0b',
  ],
  ...['#1', '#NAME', '# REF!', 'N/A', '??'],
])('%s is right', text => {
  expect([marksOf(text), isSpreadsheetError(text)]).toEqual([[], false]);
});

test.each([
  ['K\ufffdln', 'replacement_character'],
  ['a\u200bb', 'invisible_character'],
  ['\u200e4/1/2024', 'invisible_character'],
  ['a\u202eb', 'invisible_character'],
  ['a\u2060b', 'invisible_character'],
  ['a\u200cb', 'invisible_character'],
  ['id\u200d', 'invisible_character'],
  ['\ufeffid', 'invisible_character'],
  ['مرحبا\ufeff', 'invisible_character'],
  ['ï»¿id', 'mojibake'],
  ['Kï¿½ln', 'mojibake'],
  ['MÃƒÂ¼nchen', 'mojibake'],
] as const)('%j is marked as %s', (text, mark) => {
  expect(marksOf(text)).toEqual([mark]);
});

test('texts in the letters of one language are never marked', () => {
  const letters = [
    'aeiouäöüßÄÖÜ ',
    'abcdéèêëàâçùûîïôœÉÀÇÊÂÎÔ ',
    'ãõáéíóúâêôçÃÕÁÉÍÓÚÂÊÔÇ ',
    'żółćęśąźńŻÓŁĆĘŚĄŹŃ',
    'абвгд ',
    'αβγδέ ',
  ];
  const text = fc
    .constantFrom(...letters)
    .chain(each => fc.string({ unit: fc.constantFrom(...each), maxLength: 20 }));
  fc.assert(fc.property(text, each => marksOf(each).length === 0));
});

test.each(['#REF!', '#N/A', '#VALUE!', '#DIV/0!', '#NAME?', '#NULL!', '#NUM!'])('%s is an error', text => {
  expect(isSpreadsheetError(text)).toBe(true);
});

test.each([
  'or\u200bder_id',
  'cur\u00a0rency',
  '\ufefforder_id',
  'a\u00adb',
  'a\u202fb',
  'Stra\ufffde',
  'GrÃ¶ÃŸe',
  'a\u0000',
])('the name %j is odd', name => {
  expect(isOddName(name)).toBe(true);
});

test.each(['order_id', 'Größe', 'Gro\u0308ße', 'first name', 'naïve', 'a\nb', '名前', 'نام‌ها', 'm²', ''])(
  'the name %j is not',
  name => {
    expect(isOddName(name)).toBe(false);
  },
);

test.each([
  [['Größe', 'Gro\u0308ße'], 1],
  [['id', 'id\u200b'], 1],
  [['id', ' id'], 1],
  [['a b', 'a  b'], 1],
  [['Id', 'id '], 1],
  [['Id', 'id'], 0],
  [['m²', 'm2'], 0],
  [['a_b', 'ab'], 0],
] as const)('of the names %j %d are similar', (names, count) => {
  expect(similarNames(names)).toHaveLength(count);
});
