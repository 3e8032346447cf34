/**
 * Chooses between two neighbouring doubles exactly. `number.ts` asks when the first 19 digits of a text cannot decide.
 *
 * The text's digits are compared with the point half way between the two doubles, both as integers of many 32-bit limbs.
 * Powers of five go to the side where they are whole, and one side is shifted so that the powers of two agree:
 *
 *     digits * 10^power  <=>  half * 2^twos
 */

/** The longest point half way between two doubles has 768 digits. Further digits only say whether there is something behind it. */
const MAX_DIGITS: u32 = 800;
/** Both sides stay below 2^2,900: 800 digits have 2,658 bits, and the other side is about as long. */
const MAX_LIMBS: usize = 128;
const TEXT: usize = memory.data(128 * 4, 8);
const HALF: usize = memory.data(128 * 4, 8);

/** 5^13 is the largest power of five in 32 bits. */
const FIVE_13: u32 = 1220703125;
const BILLION: u32 = 1000000000;

/**
 * The bits of `lower` or of the next double above it, whichever is nearer to the text; of a tie the even one. `digits` is the address
 * of the first digit that is not 0, `count` counts the digits from there on (a point may stand among them), and the last one
 * stands for units of 10^exponent.
 */
export function nearerDouble(lower: u64, digits: usize, count: u32, exponent: i32): u64 {
  const taken = min(count, MAX_DIGITS), power = exponent + <i32>(count - taken);
  let textLimbs = readDigits(digits, taken);
  const biased = <i32>(lower >> 52), fraction = lower & 0xfffffffffffff;
  const mantissa = biased ? fraction | (<u64>1 << 52) : fraction;
  let halfLimbs = addLimb(HALF, addLimb(HALF, 0, <u32>(2 * mantissa + 1)), <u32>((2 * mantissa + 1) >> 32));
  if (power >= 0) textLimbs = timesPowerOfFive(TEXT, textLimbs, power);
  else halfLimbs = timesPowerOfFive(HALF, halfLimbs, -power);
  const twos = max(biased, 1) - 1076, shift = twos - power;
  if (shift >= 0) halfLimbs = shiftLeft(HALF, halfLimbs, shift);
  else textLimbs = shiftLeft(TEXT, textLimbs, -shift);
  const order = compare(textLimbs, halfLimbs);
  if (order != 0) return lower + <u64>(order > 0);
  return lower + <u64>(isMoreThanZero(behind, count - taken) || (lower & 1) != 0);
}

/** Where `readDigits` stopped. */
let behind: usize = 0;

/** Reads `count` digits into TEXT, nine at a time. Returns the limbs that it took. */
function readDigits(p: usize, count: u32): usize {
  let limbs: usize = 0, chunk: u32 = 0, scale: u32 = 1;
  for (let left = count; left != 0; p++) {
    const digit = <u32>load<u8>(p) - 48;
    if (digit > 9) continue; // the point
    chunk = chunk * 10 + digit;
    scale *= 10;
    left--;
    if (scale != BILLION && left != 0) continue;
    limbs = timesPlus(TEXT, limbs, scale, chunk);
    chunk = 0;
    scale = 1;
  }
  behind = p;
  return limbs;
}

/** Whether one of the next `count` digits is not 0. */
function isMoreThanZero(p: usize, count: u32): bool {
  for (let left = count; left != 0; p++) {
    const c: u32 = load<u8>(p);
    if (c - 49 < 9) return true;
    left -= <u32>(c == 48);
  }
  return false;
}

// ---- integers: limbs of 32 bits, the lowest first, the highest not 0 ----

/** Puts a limb on top, unless it is 0. Returns how many limbs there are. */
// @ts-ignore: decorator
@inline function addLimb(number: usize, limbs: usize, limb: u32): usize {
  if (limb == 0) return limbs;
  assert(limbs < MAX_LIMBS, 'a decimal has more limbs than there is room for');
  store<u32>(number + (limbs << 2), limb);
  return limbs + 1;
}

function timesPlus(number: usize, limbs: usize, factor: u32, summand: u32): usize {
  let carry: u64 = summand;
  for (let at = number, end = number + (limbs << 2); at < end; at += 4) {
    carry += <u64>load<u32>(at) * factor;
    store<u32>(at, <u32>carry);
    carry >>= 32;
  }
  return addLimb(number, limbs, <u32>carry);
}

function timesPowerOfFive(number: usize, limbs: usize, power: i32): usize {
  for (; power >= 13; power -= 13) limbs = timesPlus(number, limbs, FIVE_13, 0);
  let rest: u32 = 1;
  for (; power > 0; power--) rest *= 5;
  return timesPlus(number, limbs, rest, 0);
}

function shiftLeft(number: usize, limbs: usize, bits: i32): usize {
  limbs = timesPlus(number, limbs, 1 << (bits & 31), 0);
  const low = <usize>(bits >> 5);
  if (low == 0) return limbs;
  assert(limbs + low <= MAX_LIMBS, 'a decimal has more limbs than there is room for');
  memory.copy(number + (low << 2), number, limbs << 2);
  memory.fill(number, 0, low << 2);
  return limbs + low;
}

/** Below, at or above 0 where TEXT is smaller than, equal to or larger than HALF. */
function compare(textLimbs: usize, halfLimbs: usize): i32 {
  if (textLimbs != halfLimbs) return textLimbs < halfLimbs ? -1 : 1;
  for (let at = textLimbs << 2; at != 0; at -= 4) {
    const a = load<u32>(TEXT + at - 4), b = load<u32>(HALF + at - 4);
    if (a != b) return a < b ? -1 : 1;
  }
  return 0;
}
