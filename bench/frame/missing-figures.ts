import type { BenchReport } from './report.ts';

/** Ids of figures that a kept report has of the benches that ran now, and that did not come, or not as numbers. */
export function missingFigures(kept: BenchReport, now: BenchReport): readonly string[] {
  return Object.entries(now.benches).flatMap(([name, { measurements }]) => {
    const came = new Set(measurements.filter(({ ours }) => Number.isFinite(ours.median)).map(({ id }) => id));
    return (kept.benches[name]?.measurements ?? []).map(({ id }) => id).filter((id) => !came.has(id));
  });
}
