/** The values of a field: a histogram, the most frequent ones, or the number of distinct ones. */
import type { FieldProfile } from '../../contract.ts';
import { type Field, outlying } from '../../fields.ts';
import { figure, grouped } from '../../../terms/wording.ts';
import type { UsualField } from '../../usual.ts';
import { BothHistograms } from './both-histograms.tsx';
import { Histogram } from './histogram.tsx';
import { TopValues } from './top-values.tsx';

interface Props {
  field: Field;
  /** How many values to list. Above 3 a histogram is large. */
  most: number;
  usual?: UsualField | undefined;
}

/** Follows the dominant type: a few values of another type do not change the kind of chart. */
export function Distribution({ field: { type, profile, outliers }, most, usual }: Props) {
  if (profile === null) return <span class="faint">–</span>;
  const { numbers, top_values, booleans } = profile;
  if (numbers?.histogram && numbers.quantiles && type !== 'string' && type !== 'boolean') {
    if (usual && usual.histograms.length > 0 && !(numbers.min === numbers.max && isConstant(usual)))
      return <BothHistograms now={numbers.histogram} usual={usual.histograms} isLarge={most > 3} />;
    if (numbers.min === numbers.max) return <span class="faint">always {figure(numbers.min!)}</span>;
    const marked = outliers ? outlying(numbers.histogram, numbers.quantiles) : [];
    return <Histogram histogram={numbers.histogram} isOutlying={marked} isLarge={most > 3} />;
  }
  if (top_values && type !== 'boolean')
    return <TopValues values={top_values} of={profile.values} most={most} usual={usual?.texts} />;
  if (booleans) {
    const values = Object.entries(booleans).map(([value, count]) => ({ value, count }));
    return <TopValues values={values} of={values.reduce((sum, { count }) => sum + count, 0)} most={2} />;
  }
  return <span class="faint">{distinctText(profile)}</span>;
}

const isConstant = ({ histograms }: UsualField): boolean =>
  histograms.every(({ low, high }) => low === high && low === histograms[0]!.low);

function distinctText({ values, distinct }: FieldProfile): string {
  if (values === 0) return 'no values';
  return distinct === values
    ? 'all values are distinct'
    : `${grouped(distinct)} distinct of ${grouped(values)}`;
}
