import { html } from 'hono/html';
import type { MinuteStatistics } from '../../shared/features/statistics/admin/statistics.ts';
import type { Html, PageRequest } from '../page.ts';
import { barChart, lineChart, type Series } from '../parts/charts.ts';
import { section } from '../parts/facts.ts';
import { emptyState } from '../parts/notices.ts';
import { duration } from '../parts/times.ts';
import { remembered } from '../remembered.ts';
import { type Buckets, bucketsOf } from './buckets.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** A day has up to 1,440 minutes for each worker. */
const DAY_EVERY_MS = 60_000;
const HOUR_EVERY_MS = 5_000;
/** Shown where there are some. */
const RARE = [
  { label: 'expired', tone: 'held' },
  { label: 'skipped', tone: 'busy' },
] as const;

/** Throughput and delays of the last hour, by minute. */
export async function hourCharts(request: PageRequest): Promise<Html> {
  const now = request.now();
  const minutes = await look(request, HOUR_MS, HOUR_EVERY_MS);
  return charts(request, 'Last hour', bucketsOf(minutes, { now, stepMs: MINUTE_MS, count: 60 }));
}

/** Throughput and delays of the last day, by a quarter of an hour. */
export async function dayCharts(request: PageRequest): Promise<Html> {
  const now = request.now();
  const [day, hour] = await Promise.all([look(request, DAY_MS, DAY_EVERY_MS), look(request, HOUR_MS, HOUR_EVERY_MS)]);
  // The day is read seldom; its last hour is that of the hour's charts, so that their sums never differ.
  const since = now - HOUR_MS;
  const minutes = [...day.filter(({ at }) => at.getTime() < since), ...hour.filter(({ at }) => at.getTime() >= since)];
  return charts(request, 'Last day', bucketsOf(minutes, { now, stepMs: 15 * MINUTE_MS, count: 96 }));
}

async function look({ admin, now }: PageRequest, backMs: number, ttlMs: number): Promise<readonly MinuteStatistics[]> {
  const to = now();
  return remembered({ owner: admin, key: `statistics-${backMs}`, ttlMs, now: to }, async () =>
    admin.statistics({ from: new Date(to - backMs), to: new Date(to) }),
  );
}

function charts({ zone }: PageRequest, title: string, { from, stepMs, buckets }: Buckets): Html {
  const id = title.toLowerCase().replace(' ', '-');
  const sum = ({ values }: Series): string => values.reduce<number>((total, value) => total + (value ?? 0), 0).toLocaleString('en');
  const worst = ({ values }: Series): string => {
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? 'nothing started' : `up to ${duration(Math.max(...known))}`;
  };
  const throughput: readonly Series[] = [
    { label: 'completed', tone: 'good', values: buckets.map(({ completed }) => completed) },
    { label: 'retried', tone: 'warn', values: buckets.map(({ retried }) => retried) },
    { label: 'dead', tone: 'bad', values: buckets.map(({ dead }) => dead) },
    ...RARE.map(({ label, tone }) => ({ label, tone, values: buckets.map((bucket) => bucket[label]) })).filter(({ values }) =>
      values.some((value) => value > 0),
    ),
  ];
  const delays: readonly Series[] = [
    { label: 'median', tone: 'busy', values: buckets.map(({ p50 }) => p50) },
    { label: '95th percentile', tone: 'held', values: buckets.map(({ p95 }) => p95) },
  ];
  const step = stepMs === MINUTE_MS ? 'by the minute' : `by ${duration(stepMs)}`;
  if (throughput.every(({ values }) => values.every((value) => value === 0)) && buckets.every(({ p50 }) => p50 === undefined)) {
    return section(
      id,
      title,
      emptyState(
        'Nothing ran.',
        'Executors write figures at the end of an invocation, at most every ten seconds. The setting statistics turns them on and off.',
      ),
    );
  }
  return html`${section(`${id}-throughput`, `${title}: jobs ${step}`, barChart({ title: `Jobs, ${title}`, from, stepMs, zone, series: throughput, format: count, told: sum }))}
  ${section(`${id}-delay`, `${title}: from due to start, ${step}`, lineChart({ title: `Delay, ${title}`, from, stepMs, zone, series: delays, format: duration, told: worst }))}`;
}

const count = (value: number): string => value.toLocaleString('en');
