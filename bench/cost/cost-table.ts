import { JOB_COUNTS } from '../../cli/cost/unit-counts.ts';
import type { CostFigures } from './measure-cost.ts';

/** What each figure must not exceed; anything above needs a reason in docs/decisions. */
const COST_TARGETS: Readonly<Record<keyof CostFigures, number>> = {
  plain: JOB_COUNTS.plain,
  plainWithHistory: JOB_COUNTS.plainWithHistory,
  shortTimer: JOB_COUNTS.shortTimer,
  farTimer: JOB_COUNTS.farTimer,
  failedAttempt: JOB_COUNTS.failedAttempt,
  sqsRequestsPerJob: JOB_COUNTS.sqsRequestsPerJob,
};

const LABELS: Readonly<Record<keyof CostFigures, string>> = {
  plain: 'plain job, writes',
  plainWithHistory: 'plain job with history, writes',
  shortTimer: 'due within 15 minutes, writes',
  farTimer: 'far timer, writes',
  failedAttempt: 'each failed attempt, writes',
  sqsRequestsPerJob: 'SQS requests, batches of ten',
};

/** The figures for people. */
export function costTable(figures: CostFigures, jobs: number): string {
  const rows = (Object.keys(COST_TARGETS) as (keyof CostFigures)[]).map((name) => {
    const verdict = figures[name] <= COST_TARGETS[name] ? 'met' : 'MISSED';
    return `  ${LABELS[name].padEnd(34)}${String(figures[name]).padStart(8)}   at most ${String(COST_TARGETS[name]).padEnd(5)}${verdict}`;
  });
  return [`Per job, measured over ${jobs} jobs of each kind:`, ...rows].join('\n');
}

/** Whether every figure keeps its target. They are counts, so they do not depend on the machine. */
export function withinTargets(figures: CostFigures): boolean {
  return (Object.keys(COST_TARGETS) as (keyof CostFigures)[]).every((name) => figures[name] <= COST_TARGETS[name]);
}
