/** Row verdicts of a part: it is judged alone by what its source was when the batch was opened, then its slices come once more. */
import { Format } from '../../assembly/abi.ts';
import type { SliceKeys } from '../engine/row-keys.ts';
import type { ContentType } from '../intake/content-type.ts';
import type { SourceAndOptions } from '../intake/source-and-options.ts';
import { Upload } from '../intake/upload.ts';
import type { Quarantine } from '../report-schema/report.ts';
import { type Batch, screen } from '../screen/screen.ts';
import { StageClock } from '../screen/stages.ts';
import { type MeasuredBatch, newMeasuredBatch } from '../slices/measure.ts';
import type { TakesKeys } from '../states/repeated-rows.ts';
import type { State } from '../states/state.ts';
import type { Account } from '../stores/ports.ts';
import type { Assembly } from '../threads/assembler.ts';
import { heldRows, rulesOf, withRulesOf } from './body.ts';
import type { PartsDependencies } from './dependencies.ts';
import { Spool } from './spool.ts';

/** Of a batch whose rows are here already. */
export const NO_BODY = {
  contentType: { format: Format.NDJSON, delimiter: 0, isDelimiterGiven: false, charset: null, coding: null },
  newUpload: () => new Upload(null, { maxBodyBytes: 0, bodyStallSeconds: 1, bodySeconds: 1 }),
} as const;

export interface MeasuredPart {
  account: Account;
  named: SourceAndOptions;
  contentType: ContentType;
  state: State;
}

export class HeldInPart {
  readonly #of: MeasuredBatch;
  readonly #assembly: Assembly;
  readonly #deps: PartsDependencies;

  private constructor(
    of: MeasuredBatch,
    readonly spool: Spool,
    deps: PartsDependencies,
  ) {
    this.#of = of;
    this.#deps = deps;
    this.#assembly = deps.assembler.begin(of.batch);
  }

  /** Close it. Throws `Rejection`. */
  static async open(of: MeasuredBatch, deps: PartsDependencies): Promise<HeldInPart> {
    return new HeldInPart(of, await Spool.open(), deps);
  }

  /** Takes keys beside `other`. */
  beside(other: TakesKeys): TakesKeys {
    return {
      add: async (keys: readonly SliceKeys[], place: { part: number; row: number }) => {
        await other.add(keys, place);
        await this.#assembly.add(keys, place);
      },
    };
  }

  /** Its rows to hold back, by their index in the part. Throws `Rejection`. */
  async rows({ account, named, contentType, state }: MeasuredPart): Promise<Quarantine> {
    const begin = this.#of.begin!;
    const whole = await this.#assembly.whole(state, rulesOf(begin));
    let quarantine: Quarantine | null = null;
    const { source: ofBatch, options: given } = withRulesOf(begin, named);
    const options = { ...given, dryRun: true, chunk: true };
    const asked: Batch = {
      ...{ account, isPerson: false, contentType: NO_BODY.contentType, upload: NO_BODY.newUpload() },
      ...{ named: { source: ofBatch, options }, state: whole, keyed: null, clock: new StageClock() },
      quarantine: async findings => {
        const { salt, source, part } = this.#of;
        const again = newMeasuredBatch({
          account: account.id,
          salt,
          source,
          part,
          begin: { ...begin, findings },
        });
        quarantine = await heldRows({ contentType, spool: this.spool }, again, this.#assembly, this.#deps);
        return quarantine;
      },
    };
    await screen(asked, { ...this.#deps, jobs: null });
    return quarantine!;
  }

  async close(): Promise<void> {
    this.#assembly.end();
    await this.spool.close();
  }
}
