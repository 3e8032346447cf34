/** Kinds of the inspected numbers: integers, zeros, negative ones, multiples of ten, and how many decimals they have. */
import { Column, Like } from '../abi';
import { put } from '../arena';

let numbers: u32 = 0, integers: u32 = 0, zeros: u32 = 0, negatives: u32 = 0, multiplesOf10: u32 = 0, oneDecimal: u32 = 0, twoDecimals: u32 = 0;

export function beginNumberKinds(): void {
  numbers = 0;
  integers = 0;
  zeros = 0;
  negatives = 0;
  multiplesOf10 = 0;
  oneDecimal = 0;
  twoDecimals = 0;
}

// @ts-ignore: decorator
@inline export function addNumberKinds(x: f64): void {
  numbers++;
  zeros += <u32>(x == 0);
  negatives += <u32>(x < 0);
  if (isInteger(x)) {
    integers++;
    oneDecimal++;
    twoDecimals++;
    multiplesOf10 += <u32>(isInteger(x * 0.1));
  } else if (isNearlyInteger(x * 100)) {
    twoDecimals++;
    oneDecimal += <u32>(isNearlyInteger(x * 10));
  }
}

// @ts-ignore: decorator
@inline function isInteger(x: f64): bool { return Math.floor(x) == x; }

/** Decimals are not exact in binary: a few units in the last place are allowed. */
// @ts-ignore: decorator
@inline function isNearlyInteger(x: f64): bool { return Math.abs(x - nearest<f64>(x)) <= Math.abs(x) * 1e-15; }

export function putNumberKinds(record: usize): void {
  put(record, Column.INSPECTED_NUMBERS, <f64>numbers);
  put(record, Column.INTEGERS, <f64>integers);
  put(record, Column.ZEROS, <f64>zeros);
  put(record, Column.NEGATIVES, <f64>negatives);
  put(record, Column.MULTIPLES_OF_10, <f64>multiplesOf10);
  put(record, Column.ONE_DECIMAL, <f64>oneDecimal);
  put(record, Column.TWO_DECIMALS, <f64>twoDecimals);
}

export function isNumberLike(x: f64, like: Like): bool {
  if (like == Like.INTEGER) return isInteger(x);
  return like == Like.ZERO ? x == 0 : x < 0;
}
