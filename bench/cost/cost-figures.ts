import { JOB_COUNTS } from '../../cli/cost/unit-counts.ts';
import type { Named } from '../frame/measurement.ts';
import type { CostFigures } from './measure-cost.ts';

type Count = keyof typeof JOB_COUNTS;
/** What is counted, each held to at most the count that the cost page computes with. */
export const COST_FIGURES: readonly (readonly [name: keyof CostFigures, what: string, unit: string, most?: Count])[] = [
  ['plain', 'plain job', 'writes'],
  ['plainWithHistory', 'plain job with history', 'writes'],
  ['plainInBatches', 'plain job in batches', 'writes', 'plain'],
  ['historyInBatches', 'plain job with history in batches', 'writes', 'plainWithHistory'],
  ['shortTimer', 'due within 15 minutes', 'writes'],
  ['farTimer', 'far timer', 'writes'],
  ['failedAttempt', 'each failed attempt', 'writes'],
  ['sqsRequestsPerJob', 'SQS, in batches of ten', 'requests'],
];

/** A figure without its value. */
export const costFigure = ([name, what, unit, most = name as Count]: (typeof COST_FIGURES)[number]): Named => ({
  id: `cost.${name}`,
  what: `${what}, per job`,
  unit,
  target: { at: 'most', value: JOB_COUNTS[most] },
});
