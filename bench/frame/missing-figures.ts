import type { BenchReport } from './report.ts';

/** Ids of figures in a saved report that the same benches did not produce now, or not as numbers. */
export function missingFigures(kept: BenchReport, now: BenchReport): readonly string[] {
  return Object.entries(now.benches).flatMap(([name, { measurements }]) => {
    const came = new Set(measurements.filter(({ ours }) => Number.isFinite(ours.median)).map(({ id }) => id));
    return (kept.benches[name]?.measurements ?? []).map(({ id }) => id).filter((id) => !came.has(id));
  });
}
