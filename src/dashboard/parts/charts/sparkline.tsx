/** The health of a source's last jobs, oldest first: a line, with a dot for each WARN and BLOCK and for the newest job. */
import type { Job } from '../../contract.ts';
import { plural } from '../../../terms/wording.ts';

const WIDTH = 120;
const HEIGHT = 28;
const MARGIN = 3;

interface Point {
  x: number;
  y: number;
  job: Job;
}

export function Sparkline({ jobs }: { jobs: readonly Job[] }) {
  const points = jobs.map((job, i) => pointOf(job, i, jobs.length));
  const line = points.map(({ x, y }) => `${x},${y}`).join(' ');
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={described(jobs)}>
      <polyline points={line} />
      {points
        .filter(({ job }, i) => job.status !== 'PASS' || i === points.length - 1)
        .map(({ x, y, job }) => (
          <circle key={job.id} cx={x} cy={y} r="2.500" class={job.status.toLowerCase()} />
        ))}
    </svg>
  );
}

const pointOf = (job: Job, i: number, many: number): Point => ({
  x: MARGIN + (many === 1 ? 1 : i / (many - 1)) * (WIDTH - 2 * MARGIN),
  y: MARGIN + (1 - job.health_score) * (HEIGHT - 2 * MARGIN),
  job,
});

function described(jobs: readonly Job[]): string {
  const scores = jobs.map(job => Math.round(job.health_score * 100));
  return `Health of the last ${plural(jobs.length, 'job')}: lowest ${Math.min(...scores)}, now ${scores.at(-1)}`;
}
