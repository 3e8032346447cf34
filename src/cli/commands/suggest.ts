/** `sluice rules suggest`: rules that a file keeps. */
import type { RulesDocument } from '../../rules/declared/document.ts';
import { parseRules, unchecked } from '../../rules/declared/parse.ts';
import { type SeenBatch, suggestRules } from '../../rules/suggest.ts';
import { grouped, plural } from '../../terms/wording.ts';
import { escaped } from '../../terms/errors.ts';
import { type Command, EXIT, type Given } from '../command.ts';
import { failureOf } from '../failure.ts';
import { bodyOf } from '../../slices/slice.ts';
import { type Local, openLocal, screenOptions } from '../screening/local.ts';
import { noMemory } from '../screening/local-store.ts';
import type { NamedBatch } from '../screening/named-batch.ts';
import { profileOf } from './profile.ts';
import { fileIn, OUT, write, yamlOf } from './rules.ts';
import { READING, readingOf } from './screen-options.ts';
import { namedBatches } from '../screening/screening.ts';
import type { Terminal } from '../terminal.ts';

export const rulesSuggestCommand: Command = {
  name: 'rules suggest',
  summary: 'suggest rules that a file keeps, with the evidence',
  words: 'FILE',
  choices: 'file',
  about: [
    'The rules are printed as YAML: keep those that must always hold. The evidence for each is on standard error. FILE is as for',
    'sluice screen; all of its rows are looked at.',
  ],
  options: { ...READING, ...OUT },
  examples: [['sluice rules suggest orders.csv > orders.rules.yaml', 'Begin with rules for a source']],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  const file = fileIn(given, 'rules suggest');
  const local = await openLocal(noMemory());
  const typed = { source: undefined, options: {} };
  const batches: SeenBatch[] = [];
  const refuted = new Set<string>();
  try {
    for await (const batch of namedBatches(file, readingOf(given), typed, local, terminal)) {
      // This body is screened twice, and screening takes its memory.
      const profiled = { ...batch, pieces: [bodyOf(batch)] };
      const seen = { rows: batch.rows, ...(await profileOf(profiled, local)) };
      batches.push(seen);
      // A profile has seen how some of the values are written. The rows are still at hand: all of them are checked.
      const { rules } = suggestRules([seen]);
      for (const rule of await violatedIn(batch, rules, local)) refuted.add(rule);
    }
  } catch (error) {
    throw failureOf(error, file) ?? error;
  }
  const { rules, evidence, left_out = 0 } = suggestRules(batches, new Set(), refuted);
  await write(given, terminal, yamlOf(rules));
  for (const { rule, reason } of evidence) terminal.tell(escaped(`  ${rule}: ${reason}`));
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
  const more = left_out > 0 ? `; ${grouped(left_out)} more are left out` : '';
  terminal.tell(`sluice: ${plural(evidence.length, 'rule')} suggested from ${plural(rows, 'row')}${more}`);
  return EXIT.pass;
}

/** Paths of the rules that the batch violates. */
async function violatedIn(batch: NamedBatch, rules: RulesDocument, local: Local): Promise<string[]> {
  const checked = { fullScan: true, dryRun: true, rules: parseRules(rules, unchecked) };
  const { screened } = await local.complete(batch, { ...screenOptions(batch), ...checked });
  return (screened.report.issues?.rule_violations ?? []).map(({ rule }) => rule);
}
