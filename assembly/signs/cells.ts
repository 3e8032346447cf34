/** The cells of one column, what is counted of them, and the rows that are listed, at FOUND_ROWS, a u16 each. */
import { SIGN_COUNTS } from '../abi-signs';
import { cellsOf, edgeOf, ESCAPED, FOUND_ROWS, TAGS, VALUES } from '../arena';
import { COUNT, rowOf } from '../column';

const COUNTS: usize = memory.data(SIGN_COUNTS * 4);

export function signCountsAddress(): usize { return COUNTS; }

// @ts-ignore: decorator
@inline export function add(count: i32): void { addMany(count, 1); }

// @ts-ignore: decorator
@inline export function addMany(count: i32, many: u32): void { store<u32>(COUNTS + (<usize>count << 2), load<u32>(COUNTS + (<usize>count << 2)) + many); }

export let base: usize = 0, cells: u32 = 0, found: u32 = 0;
let edge: usize = 0;

export function begin(column: u32): void {
  base = cellsOf(column);
  edge = edgeOf(column);
  cells = load<u32>(edge, COUNT);
  found = 0;
  memory.fill(COUNTS, 0, SIGN_COUNTS * 4);
}

// @ts-ignore: decorator
@inline export function note(cell: u32): void {
  store<u16>(FOUND_ROWS + (<usize>found << 1), <u16>rowOf(edge, base, cell));
  found++;
}

// @ts-ignore: decorator
@inline export function tagAt(cell: u32): u32 { return load<u8>(base + TAGS + <usize>cell); }

// @ts-ignore: decorator
@inline export function slotAt(cell: u32): u64 { return load<u64>(base + VALUES + (<usize>cell << 3)); }

// @ts-ignore: decorator
@inline export function startOf(slot: u64): usize { return <usize>(slot & 0xffffffff); }

// @ts-ignore: decorator
@inline export function bytesOf(slot: u64): usize { return <usize>(<u32>(slot >> 32) & ~ESCAPED); }

// @ts-ignore: decorator
@inline export function digit(p: usize): u32 { return <u32>load<u8>(p) - 0x30; }
