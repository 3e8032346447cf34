/** Screens a window, whose bytes are in memory, on the path of every other batch. */
import { Upload } from '../../intake/upload.ts';
import { type Batch, type ScreenDependencies, type Screened, screen } from '../../screen/screen.ts';
import { StageClock } from '../../screen/stages.ts';

export interface Window extends Pick<Batch, 'account' | 'isPerson' | 'contentType' | 'marks'> {
  named: NonNullable<Batch['named']>;
  body: Uint8Array<ArrayBuffer>;
  /** A window with the same key and digest is judged once, for 24 hours. */
  key: string;
  digest: string;
  clock?: StageClock;
}

/** Nothing is waited for. */
const UPLOAD = { bodyStallSeconds: 3600, bodySeconds: 3600 };

/** Throws `Rejection`, as `screen` does. */
export function screenWindow(
  { body, key, digest, clock = new StageClock(), ...batch }: Window,
  deps: ScreenDependencies,
): Promise<Screened> {
  const { maxBodyBytes } = deps;
  const upload = new Upload(new Blob([body]).stream(), { ...UPLOAD, maxBodyBytes });
  const keyed = { key, hash: { update: () => {}, digest: () => digest } };
  return screen({ ...batch, upload, keyed, clock }, deps);
}
