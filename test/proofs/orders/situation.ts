import type { HistoryLevel } from '../../../shared/job/history-level.ts';
import type { OverlapPolicy } from '../../../shared/features/schedules/model/definition.ts';
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
  'ordered',
  'limit',
  'rate',
  'batch',
  'open-batch',
  'schedule',
  'skipping',
  'queueing',
  'buffering',
  'replacing',
  'prepared',
  'payload',
  'tenant',
  'overdue',
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

/** Policies that keep occurrences apart. */
export const OVERLAPS: Partial<Record<Feature, OverlapPolicy>> = {
  skipping: 'skip',
  queueing: 'queue',
  buffering: 'buffer-one',
  replacing: 'cancel-other',
};

const LIMITED: ReadonlySet<Feature> = new Set(['group', 'ordered', 'limit', 'rate', 'skipping', 'queueing', 'buffering', 'replacing']);
/** Where a job may lie that had to start earlier and never did. */
const NOT_STARTED: ReadonlySet<StateName> = new Set(['ready', 'hint-lost', 'suspended', 'stopped', 'dead', 'cancelled']);
/** Where the policy of a schedule for overlaps can matter. */
const APART: ReadonlySet<StateName> = new Set(['ready', 'retrying', 'expired', 'held-back']);

/** Whether the job is an occurrence; of schedules whose occurrences do not overlap, the later one is skipped, waits or cancels the earlier one. */
export const isScheduled = (feature: Feature): boolean => feature === 'schedule' || isApart(feature);
export const isApart = (feature: Feature): boolean => feature in OVERLAPS;

/** Whether the job is a child of a batch; whether it holds a key. One that is overdue is both. */
export const isChild = (feature: Feature): boolean => feature === 'batch' || feature === 'open-batch' || feature === 'overdue';
export const hasKey = (feature: Feature): boolean => feature === 'key' || feature === 'overdue';

/** Whether there is such a situation. */
export function exists({ state, feature, end }: Situation): boolean {
  if (isApart(feature) && !APART.has(state)) return false;
  // Its handler never starts.
  if (feature === 'overdue') return NOT_STARTED.has(state) && end === 'plain';
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
