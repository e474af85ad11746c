import type { Admin } from '../../../../operate/admin.ts';
import type { BulkAction } from '../../../../operate/bulk/bulk-verbs.ts';
import type { ScheduleAdmin } from '../../../../shared/features/schedules/admin/schedules.ts';
import type { JobFilter } from '../../../../operate/jobs/job-filter.ts';
import { defineSchedule } from '../../../../shared/features/schedules/model/definition.ts';
import { workItemOf } from '../../exhaustive/scripted-world.ts';
import { JOB_TYPES } from '../../simulation/workload/work-item-jobs.ts';
import { NAMES, type Scene } from '../scene.ts';

/** What an operator's verbs are called with in a scene. A verb without an entry fails the type check. */
type Arguments<Verbs, Names extends keyof Verbs> = {
  readonly [Name in Names]: Verbs[Name] extends (...args: infer Args) => unknown ? (scene: Scene) => Args : never;
};

const id = (scene: Scene): [string] => [scene.id];
const ids = (scene: Scene): [readonly string[]] => [[scene.id]];
const none = (): [] => [];
const batch = (scene: Scene): [string] => [scene.batch ?? 'none'];
const type = (scene: Scene): { readonly type: string } => ({ type: JOB_TYPES[scene.type].name });
/** A limit of the jobs of the scene, if they have any. */
const limit = (scene: Scene): string => JOB_TYPES[scene.type].limits[0]?.name ?? 'pair';
const told = { reason: 'an order' } as const;
const again = (scene: Scene): JobFilter => ({ type: JOB_TYPES[scene.type].name });

/** A type and the worker that runs it; its handler does the same. */
const DESTINATION = { type: JOB_TYPES.elsewhere.name, worker: JOB_TYPES.elsewhere.worker } as const;

/** Verbs by name. `schedules` and `bulk` have lists of their own, and `forTenant` gives these verbs once more. */
export const ADMIN_ARGUMENTS = {
  redrive: id,
  redriveMany: ids,
  setRetries: (scene) => [scene.id, 2],
  setRetriesMany: (scene) => [[scene.id], 2],
  history: none,
  setDueDate: (scene) => [scene.id, { delay: 'PT1H' }],
  setDueDateMany: (scene) => [[scene.id], { delay: 0 }],
  cancelWhere: (scene) => [again(scene)],
  blockedGroups: none,
  acquireLocks: none,
  audit: none,
  auditPage: none,
  switchDeployment: () => ['deactivate'],
  deploymentOff: none,
  suspend: (scene) => [type(scene), told],
  resume: (scene) => [type(scene)],
  suspensions: none,
  overridePriority: (scene) => [type(scene), 9, { cascade: true }],
  clearPriority: (scene) => [type(scene)],
  priorities: none,
  setRetention: (scene) => [type(scene), 30],
  clearRetention: () => ['all'],
  retention: none,
  previewRetention: (scene) => [type(scene), 30],
  runNow: id,
  breakpoint: (scene) => [scene.id, told],
  bury: (scene) => [scene.id, told],
  releaseGroup: (scene) => [scene.id, told],
  resumeJob: id,
  setPriority: (scene) => [scene.id, 9],
  batches: none,
  batch,
  sealBatch: batch,
  cancelBatch: batch,
  changeBatchTenant: (scene) => [...batch(scene), NAMES.tenant],
  events: none,
  switchEvents: () => [{}],
  find: id,
  findByKey: (scene) => [NAMES.key, type(scene)],
  list: (scene) => [again(scene)],
  count: (scene) => [again(scene)],
  explain: id,
  resumeBulk: () => ['none'],
  bulkReport: () => ['none'],
  bulks: none,
  delete: (scene) => [scene.id, { live: true }],
  editPayload: (scene) => [scene.id, { ...workItemOf({ workMs: 1_000 }), edited: 1 }],
  patchPayload: (scene) => [scene.id, { edited: 2 }, { redrive: true }],
  changeTenant: (scene) => [scene.id, NAMES.tenant],
  move: (scene) => [scene.id, DESTINATION],
  errorGroups: none,
  errorGroup: () => ['none'],
  annotateErrorGroup: () => ['none', { owner: 'anna' }],
  ignoreErrorGroup: ({ stage }) => ['none', stage.now + 90 * 60_000],
  resolveErrorGroup: () => ['none'],
  reopenErrorGroup: () => ['none'],
  statistics: none,
  statisticsBy: () => ['type'],
  heartbeats: none,
  limits: none,
  limitNumbers: none,
  setLimit: (scene) => [limit(scene), 0, told],
  clearLimit: (scene) => [limit(scene)],
  workers: none,
  types: none,
  attempts: none,
  timeline: id,
  reconcile: () => [{ apply: true }],
  erase: (scene) => [type(scene), { apply: true, cancelLive: true, ...told }],
  resumeErasure: () => ['none'],
  erasure: () => ['none'],
  erasures: none,
  erasedJobs: () => ['none'],
} satisfies Arguments<Admin, Exclude<keyof Admin, 'schedules' | 'bulk' | 'forTenant'>>;

/** Verbs of schedules by name. */
export const SCHEDULE_ARGUMENTS = {
  list: none,
  get: () => [NAMES.schedule],
  put: (scene) => [changed(scene)],
  edit: () => [NAMES.schedule, { exclude: ['2030-01-01'], payload: workItemOf({ workMs: 1_000 }) }],
  delete: () => [NAMES.schedule],
  pause: () => [NAMES.schedule],
  resume: () => [NAMES.schedule],
  runNow: () => [NAMES.schedule],
  backfill: ({ stage }) => [NAMES.schedule, { from: stage.now - 2 * 60 * 60_000, to: stage.now, limit: 3, apply: true }],
  preview: () => [NAMES.schedule],
} satisfies Arguments<ScheduleAdmin, keyof ScheduleAdmin>;

/** What an action on many jobs is, by its verb. */
export const BULK_ACTIONS = {
  redrive: { verb: 'redrive', retries: 1 },
  delete: { verb: 'delete', live: true },
  cancel: { verb: 'cancel' },
  'set-retries': { verb: 'set-retries', retries: 2 },
  'set-due-date': { verb: 'set-due-date', delay: 0 },
  'set-priority': { verb: 'set-priority', priority: 9 },
  'run-now': { verb: 'run-now' },
  suspend: { verb: 'suspend' },
  resume: { verb: 'resume' },
  'change-tenant': { verb: 'change-tenant', tenant: NAMES.tenant },
  move: { verb: 'move', ...DESTINATION },
  bury: { verb: 'bury' },
  'release-group': { verb: 'release-group' },
  patch: { verb: 'patch', patch: { edited: 2 } },
} satisfies { readonly [Verb in BulkAction['verb']]: Extract<BulkAction, { readonly verb: Verb }> };

/** The schedule of the scene with other times, as somebody who changes it puts it. */
function changed({ stage, schedule }: Scene): Parameters<ScheduleAdmin['put']>[0] {
  const until = stage.now + 90 * 60_000;
  const another = defineSchedule(NAMES.schedule, { job: JOB_TYPES.usual, payload: workItemOf({}), every: 'PT30M', until });
  return schedule === undefined ? another : { ...schedule, recurrence: another.recurrence };
}
