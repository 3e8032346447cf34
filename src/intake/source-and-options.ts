/** Where a request names its source and its options. */
import { Format } from '../../assembly/abi.ts';
import type { Engine } from '../engine/engine.ts';
import { parseOptions, type ScreenOptions } from '../options/options.ts';
import type { ContentType } from './content-type.ts';
import { checkOptionsSize, checkRows, checkTop } from './refusals.ts';
import { checkSource } from '../names/source.ts';

/** What a request says besides its rows. */
export interface SourceAndOptions {
  source: string;
  options: ScreenOptions;
}

/** CSV, NDJSON and columns name source and options in their headers. */
export const isNamedByHeaders = ({ format }: ContentType): boolean => format !== Format.JSON;

/** Source and options of a JSON body, checked in the order of the rules. Throws `Rejection`. */
export function sourceAndOptionsIn(engine: Pick<Engine, 'envelope'>): SourceAndOptions {
  const envelope = engine.envelope();
  checkTop(envelope);
  const source = checkSource(envelope.source, 'source');
  checkRows(envelope);
  checkOptionsSize(envelope);
  return { source, options: parseOptions(envelope.options, envelope.optionsJson) };
}
