import type { BatchOptions } from '../../../shared/features/batches/client/batch-options.ts';
import type { BatchCallback } from '../../../shared/features/batches/model/batch-progress.ts';
import type { EnqueueOptions } from '../../../shared/job/enqueue-options.ts';
import { followUp } from '../../../shared/job/follow-up.ts';
import type { FollowUp } from '../../../shared/job/job-type.ts';
import { type ScheduleDefinition, defineSchedule } from '../../../shared/features/schedules/model/definition.ts';
import type { Write } from '../../../shared/ports/tables.ts';
import { workItemOf, type ScriptedWorld } from '../exhaustive/scripted-world.ts';
import { type WorkItem, JOB_TYPES, type TypeName } from '../simulation/workload/work-item-jobs.ts';
import { NAMES, type Scene } from './scene.ts';
import { type Feature, hasKey, isApart, isChild, OVERLAPS, type Situation } from './situation.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

const tells = (what: BatchCallback): FollowUp => followUp(JOB_TYPES.usual, workItemOf({ tells: what }));
/** Batches of which nobody knows the size count in four partitions. */
const CALLBACKS: BatchOptions = { onCompleted: tells('completed'), onFailed: tells('failed') };

/** What the job of a scene is told to do. */
export function workItemFor({ state, feature, end }: Situation): WorkItem {
  const kind = state === 'dead' ? 'refused' : end;
  const group = feature === 'group' || feature === 'ordered' ? { group: NAMES.group } : {};
  const limitKey = feature === 'limit' || feature === 'rate' ? { limitKey: NAMES.limitKey } : {};
  return workItemOf({
    kind,
    workMs: SECOND,
    times: 1,
    delayMs: 20 * SECOND,
    generations: kind === 'joining' ? 1 : 0,
    ...group,
    ...limitKey,
  });
}

function optionsFor({ state, feature }: Situation): EnqueueOptions {
  return {
    ...(state === 'delayed' ? { delay: HOUR } : {}),
    ...(hasKey(feature) ? { key: NAMES.key } : {}),
    ...(feature === 'tenant' ? { tenant: NAMES.tenant } : {}),
  };
}

/** Enqueues the job of a scene, in a batch if it is to have one. */
export async function enqueue(stage: ScriptedWorld, type: TypeName, situation: Situation): Promise<Pick<Scene, 'id' | 'batch'>> {
  const { feature } = situation;
  const [workItem, options] = [workItemFor(situation), optionsFor(situation)];
  const payload = feature === 'payload' ? { ...workItem, note: 'x'.repeat(20_000) } : workItem;
  const made = await stage.asClient(async (client, process) => {
    if (feature === 'prepared') {
      const prepared = client.prepare(JOB_TYPES[type], payload, options);
      await stage.world.ports(process).tables.transact(prepared.items as Write[], process.entropy.token());
      await prepared.dispatch();
      return { id: prepared.id };
    }
    if (!isChild(feature)) return { id: (await client.enqueue(JOB_TYPES[type], payload, options)).id };
    const batch = await client.createBatch({ ...CALLBACKS, ...(feature === 'open-batch' ? {} : { expected: 2 }) });
    const { id } = await batch.enqueue(JOB_TYPES[type], payload, options);
    if (feature !== 'open-batch') await batch.seal();
    return { id, batch: batch.id };
  });
  if (made === undefined) throw new Error('Nothing was enqueued.');
  stage.world.checks.accept(made.id);
  return made;
}

/** Enqueues a job whose completion cancels the job of a scene by its key; no queue has its message. */
export async function enqueueGuardian(stage: ScriptedWorld): Promise<string> {
  const made = await stage.asClient(async (client, process) => {
    const { id, items } = client.prepare(JOB_TYPES.usual, workItemOf({ kind: 'guarding', times: 0, cancels: NAMES.key }));
    await stage.world.ports(process).tables.transact(items as Write[], process.entropy.token());
    return id;
  });
  if (made === undefined) throw new Error('No guardian was enqueued.');
  stage.world.checks.accept(made);
  return made;
}

/** Where occurrences stay apart, the next one comes within the lease of the last. */
export const everyMs = (feature: Feature): number => (isApart(feature) ? 30 * SECOND : HOUR);

/** Puts the schedule of a scene. */
export async function putSchedule(stage: ScriptedWorld, situation: Situation): Promise<ScheduleDefinition> {
  const { feature } = situation;
  const every = everyMs(feature);
  const schedule: ScheduleDefinition = defineSchedule(NAMES.schedule, {
    job: JOB_TYPES.usual,
    payload: workItemFor(situation),
    every: `PT${every / SECOND}S`,
    until: stage.now + 2.5 * every,
    missed: 'all',
    overlap: OVERLAPS[feature] ?? 'allow',
  });
  stage.world.checks.schedules.meddledWith(NAMES.schedule, 'apart');
  await stage.asOperator((admin) => admin.schedules.put(schedule));
  return schedule;
}

/** The occurrence that was planned last. */
export function lastPlanned({ world }: ScriptedWorld): string {
  const id = [...world.checks.tracker.jobs.keys()].at(-1);
  if (id === undefined) throw new Error('No occurrence was planned.');
  return id;
}
