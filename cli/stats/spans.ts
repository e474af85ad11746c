import type { MinuteStatistics } from '../../shared/features/statistics/admin/statistics.ts';
import { COUNTS, type Counted } from '../../shared/features/statistics/model/statistics.ts';
import { defined } from '../../shared/job/defined.ts';

/** The span of one line of the statistics. */
export type Span = 'minute' | 'hour' | 'day';

const SPAN_MS: Readonly<Record<Span, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Length of a span in milliseconds. */
export function every(span: Span): number {
  return SPAN_MS[span];
}

/** Minutes summed up by span, in UTC, the oldest first. Percentiles of several minutes cannot be summed: the worst of them is shown. */
export function spansOf(minutes: readonly MinuteStatistics[], span: Span): readonly MinuteStatistics[] {
  return sumSpans(minutes.map((one) => ({ ...one, at: new Date(Math.floor(one.at.getTime() / SPAN_MS[span]) * SPAN_MS[span]) })));
}

/** Sums by instant, oldest first. */
export function sumSpans(spans: readonly MinuteStatistics[]): readonly MinuteStatistics[] {
  const sums = new Map<number, MinuteStatistics>();
  for (const one of spans) {
    const before = sums.get(one.at.getTime());
    sums.set(one.at.getTime(), before === undefined ? one : added(before, one));
  }
  return [...sums.values()].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

function added(a: MinuteStatistics, b: MinuteStatistics): MinuteStatistics {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, a[name] + b[name]])) as Record<Counted, number>;
  const worst = (name: 'p50' | 'p95' | 'max'): number => Math.max(a.delayMs?.[name] ?? 0, b.delayMs?.[name] ?? 0);
  const runMs = meanOf([a, b]);
  return {
    at: a.at,
    ...counts,
    ...(a.delayMs === undefined && b.delayMs === undefined ? {} : { delayMs: { p50: worst('p50'), p95: worst('p95'), max: worst('max') } }),
    ...defined({ runMs }),
  };
}

/** Weighted by started jobs, which approximates completed runs per minute. */
function meanOf(parts: readonly MinuteStatistics[]): number | undefined {
  const known = parts.filter(({ runMs }) => runMs !== undefined).map(({ runMs = 0, started }) => ({ runMs, weight: Math.max(1, started) }));
  const weight = known.reduce((sum, one) => sum + one.weight, 0);
  return weight === 0 ? undefined : known.reduce((sum, one) => sum + one.runMs * one.weight, 0) / weight;
}
