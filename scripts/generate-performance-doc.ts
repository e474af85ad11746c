/** `docs/reference/performance.md` with its pictures and `docs/operate/tuning.md`, from the last full run in `bench/results/performance.json`; a test fails when they differ. */
import { readFileSync } from 'node:fs';
import type { BenchReport } from '../bench/frame/report.ts';
import { AWAITED } from '../bench/page/awaited.ts';
import { chartsOf } from '../bench/page/charts.ts';
import { performancePage } from '../bench/page/performance-page.ts';
import { REASONS } from '../bench/page/reasons.ts';
import { tuningPage } from '../bench/page/tuning-page.ts';

const SAVED = 'bench/results/performance.json';

/** The report of the last full run. */
export function savedReport(): BenchReport {
  return JSON.parse(readFileSync(SAVED, 'utf8')) as BenchReport;
}

/** Every file that the report gives, by its path. */
export function performanceFiles(report: BenchReport): ReadonlyMap<string, string> {
  return new Map([
    ['docs/reference/performance.md', performancePage(report, REASONS, AWAITED)],
    ['docs/operate/tuning.md', tuningPage(report)],
    ...chartsOf(report).map(({ file, svg }) => [`docs/images/performance/${file}`, svg] as const),
  ]);
}
