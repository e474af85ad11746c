import type { HistoryLevel } from '../../shared/core/history-level.ts';
import type { Errand } from '../simulation/workload/errand-jobs.ts';

/** Where the job lies that two actors meet at. */
export const STATES = [
  'ready',
  'hint-lost',
  'delayed',
  'retrying',
  'running',
  'expired',
  'suspended',
  'stopped',
  'held-back',
  'dead',
  'finished',
  'cancelled',
] as const;
export type StateName = (typeof STATES)[number];

/** What it has besides. */
export const FEATURES = [
  'plain',
  'key',
  'group',
  'limit',
  'rate',
  'batch',
  'open-batch',
  'schedule',
  'prepared',
  'payload',
  'tenant',
] as const;
export type Feature = (typeof FEATURES)[number];

/** How its handler ends, for executors and foreign workers. */
export const ENDS = ['plain', 'flaky', 'snoozing', 'continuing', 'refused', 'joining'] as const satisfies readonly Errand['kind'][];
export type End = (typeof ENDS)[number];

/** What two actors meet in. */
export interface Situation {
  readonly state: StateName;
  readonly feature: Feature;
  readonly end: End;
  readonly history: HistoryLevel;
}

const LIMITED: ReadonlySet<Feature> = new Set(['group', 'limit', 'rate']);

/** Whether there is such a situation. */
export function exists({ state, feature, end }: Situation): boolean {
  if (state === 'held-back') return LIMITED.has(feature);
  // How it went is past.
  if (state === 'finished' || state === 'cancelled') return end === 'plain';
  if (state === 'retrying') return end === 'flaky';
  if (state === 'dead') return end === 'refused' || end === 'plain';
  return true;
}

export const situationText = ({ state, feature, end, history }: Situation): string => `${state}/${feature}/${end}/${history}`;
