/** The delimiters of CSV by the names that headers and options have for them. */
export const DELIMITERS: ReadonlyMap<string, number> = new Map([
  [',', 0x2c],
  [';', 0x3b],
  ['|', 0x7c],
  ['tab', 0x09],
  ['^', 0x5e],
  ['~', 0x7e],
  ['0x01', 0x01],
]);

export const DELIMITER_NAMES = [...DELIMITERS.keys()];

/** `, ; | ^ ~ or the words tab and 0x01` */
export const DELIMITERS_KNOWN = 'one of , ; | ^ ~ or the words tab and 0x01';

export const delimiterName = (byte: number): string =>
  DELIMITER_NAMES.find(name => DELIMITERS.get(name) === byte) ?? String.fromCharCode(byte);

/** As sentences say it. */
export function delimiterText(byte: number): string {
  if (byte === 0x2c) return 'a comma';
  if (byte === 0x09) return 'a tab';
  return byte === 0x01 ? 'the character 0x01' : `'${delimiterName(byte)}'`;
}
