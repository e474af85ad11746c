import type { Admin } from '../../../../operate/admin.ts';
import { PUT_WINDOW_MS } from '../../../../operate/wait-for-put-window.ts';
import type { Scene } from '../scene.ts';
import { isChild, isScheduled } from '../situation.ts';
import { ADMIN_ARGUMENTS, BULK_ACTIONS, SCHEDULE_ARGUMENTS } from './arguments.ts';
import type { Verb } from './verb.ts';

type Method = (...args: readonly unknown[]) => Promise<unknown>;
type ArgumentsOf = (scene: Scene) => readonly unknown[];

/** Verbs that write nothing. One that is not named here counts as one that does. */
const READS: ReadonlySet<string> = new Set([
  'history',
  'blockedGroups',
  'acquireLocks',
  'audit',
  'auditPage',
  'suspensions',
  'priorities',
  'retention',
  'previewRetention',
  'batches',
  'batch',
  'events',
  'find',
  'findByKey',
  'list',
  'count',
  'explain',
  'bulkReport',
  'bulks',
  'erasure',
  'erasures',
  'erasedJobs',
  'errorGroups',
  'errorGroup',
  'statistics',
  'statisticsBy',
  'heartbeats',
  'limits',
  'limitNumbers',
  'workers',
  'types',
  'attempts',
  'timeline',
  'schedules.list',
  'schedules.get',
  'schedules.preview',
]);
/** What these find by a filter may be a job that its producer puts once more: as in production they wait until that is over. */
const BY_FILTER: ReadonlySet<string> = new Set(['cancelWhere', 'erase']);
const OF_BATCHES: ReadonlySet<string> = new Set(['sealBatch', 'cancelBatch', 'changeBatchTenant']);

function fits(name: string): Verb['fits'] {
  if (name.startsWith('schedules.')) return ({ feature }) => isScheduled(feature);
  if (OF_BATCHES.has(name)) return ({ feature }) => isChild(feature);
  return () => true;
}

function operator(name: string, act: (admin: Admin, scene: Scene) => Promise<unknown>, role: 'operator' | 'bulk' = 'operator'): Verb {
  return {
    name,
    role,
    ...(READS.has(name) ? { reads: true } : {}),
    fits: fits(name) ?? (() => true),
    act: async (scene) => {
      const { world } = scene.stage;
      return act(world.admin(world.process('admin', name), BY_FILTER.has(name) ? { putWindowMs: PUT_WINDOW_MS } : {}), scene);
    },
  };
}

function methods(prefix: string, all: Readonly<Record<string, ArgumentsOf>>, of: (admin: Admin) => object): readonly Verb[] {
  return Object.entries(all).map(([name, argumentsOf]) =>
    operator(`${prefix}${name}`, (admin, scene) => {
      const verbs = of(admin) as Readonly<Record<string, Method>>;
      return (verbs[name] as Method)(...argumentsOf(scene));
    }),
  );
}

/** Every verb of `Admin`, and every action on many jobs. */
export const OPERATOR_VERBS: readonly Verb[] = [
  ...methods('', ADMIN_ARGUMENTS, (admin) => admin),
  ...methods('schedules.', SCHEDULE_ARGUMENTS, (admin) => admin.schedules),
  ...Object.entries(BULK_ACTIONS).map(([name, action]) => operator(`bulk.${name}`, (admin, { id }) => admin.bulk(action, { id }), 'bulk')),
];
