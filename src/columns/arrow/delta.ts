/** A dictionary and its delta, as one. */
import { Layout } from '../../../assembly/abi.ts';
import { ColumnsError } from '../columns-error.ts';
import { NOTHING, type Region, type Space, type Vector } from '../field.ts';
import { widthOf } from './record-batch.ts';

/** The entries of `before`, then those of `after`, in new buffers. Throws `ColumnsError`. */
export function concatenated(before: Vector, after: Vector, space: Space): Vector {
  const { field } = before;
  const width = widthOf(field);
  const isText = field.layout === Layout.TEXT32 || field.layout === Layout.BYTES32;
  if ((width === 0 && !isText) || before.buffers.length > 0 || after.buffers.length > 0)
    throw new ColumnsError(
      `A delta of a dictionary of ${field.physicalType} is not read: send the whole dictionary`,
    );
  const values = isText
    ? joinedTexts(before, after, space)
    : {
        values: joinedBytes(
          [part(before.values, before.length * width), part(after.values, after.length * width)],
          space,
        ),
      };
  const validity = before.validity || after.validity ? joinedBits(before, after, space) : null;
  return { ...before, ...values, length: before.length + after.length, validity };
}

const part = ({ at }: Region, length: number): Region => ({ at, length });

function joinedBytes(regions: Region[], space: Space): Region {
  const length = regions.reduce((sum, region) => sum + region.length, 0);
  if (length === 0) return NOTHING;
  const at = space.allocate(length);
  let end = at;
  for (const region of regions) {
    space.bytes().copyWithin(end, region.at, region.at + region.length);
    end += region.length;
  }
  return { at, length };
}

function joinedBits(before: Vector, after: Vector, space: Space): Region {
  const length = Math.ceil((before.length + after.length) / 8);
  const at = space.allocate(length);
  const bytes = space.bytes();
  bytes.fill(0, at, at + length);
  let bit = 0;
  for (const { validity, length: bits } of [before, after])
    for (let i = 0; i < bits; i++, bit++) {
      const isValid = validity === null || (bytes[validity.at + (i >> 3)]! >> (i & 7)) & 1;
      if (isValid) bytes[at + (bit >> 3)]! |= 1 << (bit & 7);
    }
  return { at, length };
}

function joinedTexts(before: Vector, after: Vector, space: Space): Pick<Vector, 'offsets' | 'values'> {
  const values = joinedBytes([before.values, after.values], space);
  const count = before.length + after.length + 1;
  const at = space.allocate(count * 4);
  const view = new DataView(space.bytes().buffer);
  let to = at;
  for (const [vector, shift] of [
    [before, 0],
    [after, before.values.length],
  ] as const) {
    const last = vector === after ? vector.length : vector.length - 1;
    for (let i = 0; i < last + 1; i++, to += 4) {
      const offset = vector.offsets.length === 0 ? 0 : view.getUint32(vector.offsets.at + i * 4, true);
      view.setUint32(to, offset + shift, true);
    }
  }
  return { values, offsets: { at, length: count * 4 } };
}
