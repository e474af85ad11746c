import type { HistoryLevel } from '../../../shared/core/history-level.ts';
import type { WorkItem } from '../simulation/workload/work-item-jobs.ts';

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
  'paused',
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
  'skipping',
  'queueing',
  'prepared',
  'payload',
  'tenant',
] as const;
export type Feature = (typeof FEATURES)[number];

/** How its handler ends, for executors and foreign workers. */
export const ENDS = ['plain', 'flaky', 'snoozing', 'continuing', 'refused', 'joining'] as const satisfies readonly WorkItem['kind'][];
export type End = (typeof ENDS)[number];

/** What two actors meet in. */
export interface Situation {
  readonly state: StateName;
  readonly feature: Feature;
  readonly end: End;
  readonly history: HistoryLevel;
}

const LIMITED: ReadonlySet<Feature> = new Set(['group', 'limit', 'rate', 'skipping', 'queueing']);
/** Where the policy of a schedule for overlaps can matter. */
const APART: ReadonlySet<StateName> = new Set(['ready', 'retrying', 'expired', 'held-back']);

/** Whether the job is an occurrence; of schedules whose occurrences do not overlap, the later one is skipped or waits. */
export const isScheduled = (feature: Feature): boolean => feature === 'schedule' || isApart(feature);
export const isApart = (feature: Feature): boolean => feature === 'skipping' || feature === 'queueing';

/** Whether there is such a situation. */
export function exists({ state, feature, end }: Situation): boolean {
  if (isApart(feature) && !APART.has(state)) return false;
  if (state === 'held-back') return LIMITED.has(feature);
  // One that was fired ahead is taken back when its schedule is paused.
  if (state === 'paused' && feature !== 'schedule') return false;
  // How it went is past.
  if (state === 'finished' || state === 'cancelled') return end === 'plain';
  if (state === 'retrying') return end === 'flaky';
  if (state === 'dead') return end === 'refused' || end === 'plain';
  return true;
}

export const situationText = ({ state, feature, end, history }: Situation): string => `${state}/${feature}/${end}/${history}`;
