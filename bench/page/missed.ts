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

/** What is wrong with the reasons: a missed target without one, and a reason for what is not missed. Empty when all is well. */
export function reasonProblems(report: BenchReport, reasons: Readonly<Record<string, string>>): readonly string[] {
  const missed = new Set(missedOf(report).map(({ id }) => id));
  return [
    ...[...missed].filter((id) => (reasons[id] ?? '').trim() === '').map((id) => `${id} is missed and has no reason`),
    ...Object.keys(reasons)
      .filter((id) => !missed.has(id))
      .map((id) => `${id} has a reason and is not missed`),
  ];
}
