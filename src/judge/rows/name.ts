/** Which rows: added to a judgement when all else is said, by a look at the columns that have a finding and no others. */
import type { Baseline } from '../../baseline/baseline.ts';
import type { RowQueries } from '../../engine/queries.ts';
import type { Profile } from '../../profile/profile.ts';
import type { ScreenOptions } from '../options.ts';
import { type Anomaly, byName, type Issues, type Judgement } from '../report.ts';
import { signOf } from './anomalies.ts';
import { RowFinder } from './look.ts';
import { quarantineOf } from './quarantine.ts';

/** The same judgement with `rows`, and with `quarantine` where it was asked for. `look` must still have the batch. */
export function nameRows(
  judgement: Judgement,
  profile: Profile,
  look: RowQueries,
  baseline: Baseline | null,
  { mode, rowVerdicts }: ScreenOptions,
): Judgement {
  const { issues, anomalies } = judgement;
  if (!issues && !anomalies && !rowVerdicts) return judgement;
  const finder = new RowFinder(profile, look, baseline, mode);
  const named = {
    ...judgement,
    issues: issues && issuesWithRows(issues, finder),
    ...(anomalies && { anomalies: anomalies.map(anomaly => anomalyWithRows(anomaly, finder)) }),
    ...(rowVerdicts && { quarantine: quarantineOf(judgement, profile, finder) }),
  };
  return finder.numbering ? { ...named, rowNumbers: finder.numbering } : named;
}

function issuesWithRows(issues: Issues, finder: RowFinder): Issues {
  const { type_mismatches, null_rates, outliers, new_enum_values, ragged_rows } = issues;
  const field = (name: string) => finder.field(name)!;
  return {
    ...issues,
    ...(type_mismatches && {
      type_mismatches: mapped(type_mismatches, (issue, name) => ({
        ...issue,
        rows: finder.listed(finder.mistyped(field(name), issue.expected)),
      })),
    }),
    ...(null_rates && {
      null_rates: mapped(null_rates, (issue, name) => {
        const find = finder.without(field(name));
        return find ? { ...issue, rows: finder.listed(find) } : issue;
      }),
    }),
    ...(outliers && {
      outliers: mapped(outliers, (issue, name) => {
        const find = finder.outliers(field(name));
        return find ? { ...issue, rows: finder.listed(find) } : issue;
      }),
    }),
    ...(new_enum_values && {
      new_enum_value_rows: mapped(new_enum_values, (_, name) =>
        finder.listed(finder.newValues(field(name))!),
      ),
    }),
    ...(ragged_rows && {
      ragged_rows: { ...ragged_rows, rows: finder.listed(limit => finder.look.ragged(limit)) },
    }),
  };
}

const mapped = <From, To>(
  map: Record<string, From>,
  change: (value: From, name: string) => To,
): Record<string, To> =>
  byName(Object.entries(map).map(([name, value]) => [name, change(value, name)] as const));

function anomalyWithRows(anomaly: Anomaly, finder: RowFinder): Anomaly {
  const sign = signOf(anomaly, finder);
  const rows = sign ? finder.listed(sign.find) : [];
  return rows.length > 0 ? { ...anomaly, rows } : anomaly;
}
