import type { Measurement } from '../frame/measurement.ts';
import type { BenchReport } from '../frame/report.ts';

/** Every measurement of a report, in the order of its benches. */
export function measurementsOf(report: BenchReport): readonly Measurement[] {
  return Object.values(report.benches).flatMap(({ measurements }) => measurements);
}

/** The measurements whose target was missed. */
export function missedOf(report: BenchReport): readonly Measurement[] {
  return measurementsOf(report).filter(({ met }) => met === false);
}

/** Missed targets without a reason. */
export function reasonProblems(report: BenchReport, reasons: Readonly<Record<string, string>>): readonly string[] {
  const without = missedOf(report).filter(({ id }) => (reasons[id] ?? '').trim() === '');
  return without.map(({ id }) => `${id} is missed and has no reason`);
}

/**
 * Reasons for what has no target, in a report of all benches. A target that is missed in one run and met in the next keeps its reason, which is
 * not shown while it is met.
 */
export function strayReasons(report: BenchReport, reasons: Readonly<Record<string, string>>): readonly string[] {
  const judged = new Set(measurementsOf(report).flatMap(({ id, target }) => (target === undefined ? [] : [id])));
  return Object.keys(reasons)
    .filter((id) => !judged.has(id))
    .map((id) => `${id} has a reason and no target`);
}
