/** Every statistic of a field over the batches of a source: its value, what was expected, and the alarms. */
import { useMemo, useState } from 'preact/hooks';
import { trends } from '../../api.ts';
import type { Batch, Trends as Loaded } from '../../contract.ts';
import { addressOf } from '../../route.ts';
import { dateTime } from '../../times.ts';
import { alarmsIn, byAlarm, fieldsIn, isConstant, newestOf, type Trend, valueText } from '../../trend.ts';
import { useLoaded } from '../../use-loaded.ts';
import { grouped, plural } from '../../../terms/wording.ts';
import { nameText } from '../values/name.tsx';
import { Panel } from '../frame/panel.tsx';
import { TrendChart } from './trend-chart.tsx';
import { WhenLoaded } from '../frame/when-loaded.tsx';

/** Charts at first: a field has some forty statistics. */
const SHOWN = 8;

interface Props {
  source: string;
  /** Oldest first. */
  batches: readonly Batch[];
  /** As the address names it. */
  field: string | undefined;
  /** Loads again when this number changes. */
  changes: number;
}

/** Value of the choice that is no field. */
const WHOLE = -1;

export function Trends({ source, batches, field, changes }: Props) {
  const fields = useMemo(() => fieldsIn(batches), [batches]);
  const [chosen, setChosen] = useState<string | null>(field ?? fields[0] ?? null);
  const choices = chosen === null || fields.includes(chosen) ? fields : [chosen, ...fields];
  const [loaded, again] = useLoaded(signal => trends(source, chosen, signal), [source, chosen, changes]);
  return (
    <Panel
      title="Statistics"
      aside={
        <label class="inline">
          Field
          <select
            class="choose-source"
            value={chosen === null ? WHOLE : choices.indexOf(chosen)}
            onChange={({ currentTarget }) => setChosen(choices[Number(currentTarget.value)] ?? null)}
          >
            <option value={WHOLE}>The batch as a whole</option>
            {choices.map((name, i) => (
              <option key={name} value={i}>
                {nameText(name, 60)}
              </option>
            ))}
          </select>
        </label>
      }
    >
      <WhenLoaded what="the statistics" loaded={loaded} again={again} rows={6}>
        {found => <Charts key={`${found.field}`} found={found} />}
      </WhenLoaded>
    </Panel>
  );
}

function Charts({ found }: { found: Loaded }) {
  const { batches, statistics } = found;
  const [isWhole, setWhole] = useState(false);
  const { changing, constant } = useMemo(
    () => ({
      changing: byAlarm(statistics.filter(each => !isConstant(each))),
      constant: statistics.filter(isConstant),
    }),
    [statistics],
  );
  if (statistics.length === 0) return <p class="faint">None of the newest batches has this field.</p>;
  const shown = isWhole ? changing : changing.slice(0, SHOWN);
  return (
    <>
      <p class="trend-key faint">
        The line is the value in each batch. The band is the range expected from the earlier batches. A mark
        is an alarm: <span class="key warn">WARN</span> <span class="key block">BLOCK</span>
      </p>
      <Alarms found={found} />
      <div class="trends">
        {shown.map(trend => (
          <TrendChart key={trend.statistic} trend={trend} batches={batches} />
        ))}
      </div>
      {shown.length < changing.length && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          Show all {grouped(changing.length)} statistics that change
        </button>
      )}
      {constant.length > 0 && <Constant trends={constant} />}
    </>
  );
}

/** The charts say it with marks; this says it with words and links. */
function Alarms({ found: { batches, statistics } }: { found: Loaded }) {
  const alarms = statistics.flatMap(trend => alarmsIn(trend).map(alarm => ({ ...alarm, trend })));
  if (alarms.length === 0) return null;
  const newestFirst = alarms.sort((a, b) => b.at - a.at);
  return (
    <details class="settings">
      <summary>{plural(alarms.length, 'alarm')} of this field</summary>
      <ul>
        {newestFirst.map(({ at, severity, trend }) => (
          <li key={`${at} ${trend.statistic}`}>
            <a href={addressOf({ page: 'job', id: batches[at]!.job_id })}>
              {dateTime(batches[at]!.created_at)}
            </a>
            , {severity === 'block' ? 'BLOCK' : 'WARN'}: {trend.label} {textAt(trend, at)}
          </li>
        ))}
      </ul>
    </details>
  );
}

const Constant = ({ trends: constant }: { trends: readonly Trend[] }) => (
  <details class="settings">
    <summary>
      {plural(constant.length, 'statistic that never changed', 'statistics that never changed')}
    </summary>
    <ul>
      {constant.map(trend => (
        <li key={trend.statistic}>
          {trend.label}: {textAt(trend, newestOf(trend))}
        </li>
      ))}
    </ul>
  </details>
);

const textAt = ({ unit, values }: Trend, at: number): string => {
  const value = values[at] ?? null;
  return value === null ? '' : valueText(unit, value);
};
