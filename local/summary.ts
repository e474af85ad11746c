import type { ScenarioResult } from './shop/fixed-scenario.ts';

/** The result of the scenario as one line of JSON. */
export function summaryJson({ audit, reportRefused, orders, ms }: ScenarioResult, good: boolean): string {
  const { astray, ...counts } = audit;
  return `${JSON.stringify({ ...counts, astray: astray.length, secondReportRefused: reportRefused, orders, seconds: Math.round(ms / 100) / 10, ok: good })}\n`;
}

/** The result of the scenario as a table, with the verdict below. */
export function summaryTable({ audit, reportRefused, orders, ms }: ScenarioResult, good: boolean): string {
  const rows: readonly (readonly [string, string | number])[] = [
    ['orders', orders],
    ['jobs enqueued', audit.enqueued],
    ['completed', audit.completed],
    ['dead letters', audit.deadLettered],
    ['cancelled', audit.cancelled],
    ['lost', audit.lost],
    ['completed twice', audit.doubleCompleted],
    ['fired early', audit.earlyTimers],
    ['groups overlapping', audit.groupOverlaps],
    ['not ended', audit.unsettled],
    ['without effect', audit.missingEffects],
    ['ended elsewhere', audit.astray.length],
    ['second report refused', reportRefused ? 'yes' : 'no'],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(24)}${String(value).padStart(8)}`);
  const verdict = good ? `Every job ended where it should (${(ms / 1000).toFixed(1)} s).` : 'Not every job ended where it should.';
  return `${lines.join('\n')}\n\n${verdict}\n`;
}
