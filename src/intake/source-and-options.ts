/** Where a request names its source and its options. */
import { Format } from '../../assembly/abi.ts';
import type { Engine } from '../engine/engine.ts';
import { parseOptions, type ScreenOptions } from '../options/options.ts';
import type { ContentType } from './content-type.ts';
import { checkOptionsSize, checkRows, checkTop } from './refusals.ts';
import { arraysIn } from '../table/wrappers.ts';
import { checkSource } from '../names/source.ts';

/** What a request says besides its rows. */
export interface SourceAndOptions {
  source: string;
  options: ScreenOptions;
}

/** Of a body without rows, to see where they may be. */
const LOOK_BYTES = 64 * 1024;

/** CSV, NDJSON and columns name source and options in their headers. */
export const isNamedByHeaders = ({ format }: ContentType): boolean => format !== Format.JSON;

/** Source and options of a JSON body, checked in the order of the rules. Throws `Rejection`. */
export function sourceAndOptionsIn(engine: Pick<Engine, 'envelope' | 'beginning'>): SourceAndOptions {
  const envelope = engine.envelope();
  checkTop(envelope);
  const source = checkSource(envelope.source, 'source');
  checkRows(envelope, () => arraysIn(engine.beginning(LOOK_BYTES)));
  checkOptionsSize(envelope);
  return { source, options: parseOptions(envelope.options, envelope.optionsJson) };
}
