/** Numbers as the decimals that people write: 0.3 is a multiple of 0.1. */

/** `digits` / 10^`places`. */
interface Decimal {
  digits: bigint;
  places: number;
}

/** The shortest decimal that is read as this number. */
function decimalOf(x: number): Decimal {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(
    `${x}`,
  )!;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const places = fraction.length - Number(exponent);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

/** Powers of ten that a double holds exactly, and integers. */
const MAX_PLACES = 22;
const MAX_DIGITS = 2n ** 53n;

/** `m` / `scale` for the engine. An infinite scale: the number has too many digits for it. */
export function stepOf(multipleOf: number): { m: number; scale: number } {
  const { digits, places } = decimalOf(multipleOf);
  const isExact = places <= MAX_PLACES && digits < MAX_DIGITS;
  return isExact
    ? { m: Number(digits), scale: Number(`1e${places}`) }
    : { m: 1, scale: Number.POSITIVE_INFINITY };
}

/** An infinite number stands for one beyond doubles, of which nothing is known. */
export function isMultiple(x: number, of: number): boolean {
  if (!Number.isFinite(x)) return true;
  const [a, b] = [decimalOf(x), decimalOf(of)];
  const places = Math.max(a.places, b.places);
  const aligned = ({ digits, places: own }: Decimal) => digits * 10n ** BigInt(places - own);
  return aligned(a) % aligned(b) === 0n;
}
