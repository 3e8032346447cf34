/** What needs attention, verdicts over time, sources by trouble, and the rows that the plan has left. */
import { useMemo } from 'preact/hooks';
import { compact, grouped, percent, plural } from '../../terms/wording.ts';
import { billing, keys, openIncidents, statistics, verdicts } from '../api.ts';
import type { Incident, Statistics, VerdictSpan } from '../contract.ts';
import { Attention } from '../parts/source/attention.tsx';
import { Claim } from '../parts/account/claim.tsx';
import { NoBatches } from '../parts/frame/empty.tsx';
import { Health } from '../parts/values/health.tsx';
import { Meter } from '../parts/account/meter.tsx';
import { Name } from '../parts/values/name.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Panel } from '../parts/frame/panel.tsx';
import { RangePicker } from '../parts/controls/range-picker.tsx';
import { Tally } from '../parts/values/tally.tsx';
import { Tile } from '../parts/values/tile.tsx';
import { Ago } from '../parts/values/time.tsx';
import { VerdictChart } from '../parts/charts/verdict-chart.tsx';
import { WhenLoaded } from '../parts/frame/when-loaded.tsx';
import { PLANS, titled } from '../plans.ts';
import { addressOf, sources as allSources } from '../route.ts';
import { byTrouble } from '../source-list.ts';
import { DAY, timeLine } from '../time-line.ts';
import { date } from '../times.ts';
import { useLoaded } from '../use-loaded.ts';

const SOURCES_SHOWN = 8;

interface Loaded {
  open: Incident[];
  totals: Statistics;
  spans: VerdictSpan[];
  /** Of a span, in ms. */
  width: number;
}

export function Overview({ days }: { days: number }) {
  const [loaded, again] = useLoaded(signal => loadAll(days, signal), [days]);
  return (
    <Page title="Overview" actions={<RangePicker days={days} />}>
      <WhenLoaded what="the overview" loaded={loaded} again={again} rows={8}>
        {all =>
          all.totals.totalJobs === 0 ? (
            <>
              {all.open.length > 0 && <Attention incidents={all.open} changed={again} />}
              <NoBatches title={`No batches in the last ${days} days`} />
              <ClaimIfNoKeys />
              <Allowance />
            </>
          ) : (
            <Figures {...all} again={again} />
          )
        }
      </WhenLoaded>
    </Page>
  );
}

async function loadAll(days: number, signal: AbortSignal): Promise<Loaded> {
  const now = Date.now();
  const line = timeLine(now - days * DAY, now);
  const [totals, spans, open] = await Promise.all([
    statistics(days, signal),
    verdicts(line, signal),
    openIncidents(signal),
  ]);
  return { totals, spans, open, width: line.width };
}

const Figures = ({ totals, spans, width, open, again }: Loaded & { again: () => void }) => (
  <>
    <Attention incidents={open} changed={again} />
    <dl class="tiles">
      <Tile name="Batches" value={grouped(totals.totalJobs)} note={plural(totals.sourceCount, 'source')} />
      <Tile name="Passed" value={percent(totals.passCount / totals.totalJobs)} note={verdictCounts(totals)} />
      <Tile name="Average health" value={(totals.avgHealth * 100).toFixed(1)} note="of 100" />
      <Tile
        name="Rows screened"
        value={compact(totals.totalRows)}
        note={`${grouped(totals.totalRows)} rows`}
      />
    </dl>
    <div class="columns">
      <Panel title="Verdicts over time">
        <VerdictChart spans={spans} width={width} />
      </Panel>
      <Allowance />
    </div>
    <SourcesByTrouble {...totals} />
  </>
);

const verdictCounts = ({ warnCount, blockCount }: Statistics): string =>
  `${grouped(warnCount)} warned, ${grouped(blockCount)} blocked`;

/** An account with keys is in use: it cannot claim another one. */
function ClaimIfNoKeys() {
  const [{ value: found }] = useLoaded(keys, []);
  return found?.length === 0 ? <Claim /> : null;
}

/** Loads by itself: an error here does not hide the other panels. */
function Allowance() {
  const [loaded, again] = useLoaded(billing, []);
  return (
    <Panel
      title="Allowance"
      aside={loaded.value?.plansForSale && <a href={addressOf({ page: 'billing' })}>Billing</a>}
    >
      <WhenLoaded what="the allowance" loaded={loaded} again={again} rows={2}>
        {({ plan, rowsProcessed, requestCount, periodEnd }) => (
          <>
            <Meter used={rowsProcessed} of={PLANS[plan].rowsPerPeriod} what="rows" />
            <p class="faint">
              Plan {titled(plan)}, {plural(requestCount, 'request')} in this period, which ends{' '}
              {date(periodEnd)}.
            </p>
          </>
        )}
      </WhenLoaded>
    </Panel>
  );
}

function SourcesByTrouble({ sources, sourceCount }: Pick<Statistics, 'sources' | 'sourceCount'>) {
  const worst = useMemo(() => sources.toSorted(byTrouble).slice(0, SOURCES_SHOWN), [sources]);
  return (
    <Panel
      title="Sources by trouble"
      aside={
        <a href={addressOf(allSources())}>
          {sourceCount > SOURCES_SHOWN ? `All ${grouped(sourceCount)} sources` : 'Sources'}
        </a>
      }
      isFlush
    >
      <p class="list-head" aria-hidden="true">
        <span>Source</span>
        <span>Average health</span>
        <span>Pass / warn / block</span>
        <span class="s-when">Last run</span>
      </p>
      <ul class="source-list">
        {worst.map(each => (
          <li key={each.source}>
            <a class="s-name" href={addressOf({ page: 'source', source: each.source })}>
              <Name text={each.source} />
            </a>
            <Health value={each.avgHealthPct / 100} />
            <Tally pass={each.passCount} warn={each.warnCount} block={each.blockCount} />
            <span class="faint s-when">
              <Ago at={each.lastRun} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
