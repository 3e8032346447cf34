/** A value that a report may show, as bytes: JSON, and numbers to the bit. */
import { type Codec, check, double, text } from './codec.ts';

/** The longest example that the engine gives is far shorter. */
const JSON_TEXT = text(16_000);

const NOTHING = 0;
const NUMBER = 1;
const OTHER = 2;

/** Undefined: there is none. */
export const EXAMPLE: Codec<unknown> = {
  layout: 'example',
  write(writer, value) {
    if (value === undefined) writer.u8(NOTHING);
    else if (typeof value === 'number') {
      writer.u8(NUMBER);
      double.write(writer, value);
    } else {
      writer.u8(OTHER);
      JSON_TEXT.write(writer, JSON.stringify(value));
    }
  },
  read(reader) {
    const form = reader.u8();
    check(form <= OTHER, `${form} where ${OTHER} is the most`);
    if (form === NOTHING) return undefined;
    return form === NUMBER ? double.read(reader) : parsed(JSON_TEXT.read(reader));
  },
};

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return check(false, 'an example that is no JSON');
  }
}
