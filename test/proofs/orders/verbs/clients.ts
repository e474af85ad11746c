import type { JobClient } from '../../../../shared/client/job-client.ts';
import { jobIdFrom } from '../../../../shared/job/job-id.ts';
import { workItemOf } from '../../exhaustive/scripted-world.ts';
import type { SimProcess } from '../../simulation/world/sim-process.ts';
import { JOB_TYPES } from '../../simulation/workload/work-item-jobs.ts';
import { NAMES, type Scene } from '../scene.ts';
import { hasKey, isChild } from '../situation.ts';
import type { Verb } from './verb.ts';

type Act = (client: JobClient, scene: Scene, process: SimProcess) => Promise<unknown>;

function client(name: string, act: Act, more: Partial<Verb> = {}): Verb {
  return {
    name,
    role: 'client',
    act: (scene) => {
      const process = scene.stage.world.process('client', name);
      return act(scene.stage.world.client(process), scene, process);
    },
    ...more,
  };
}

/** An end that was told is held against what was seen. */
function cancel(options: Parameters<JobClient['cancel']>[1]): Act {
  return async (jobs, { id, stage: { world } }) => {
    const answer = await jobs.cancel(id, options);
    world.checks.told.cancel(id, answer);
    if (answer === 'cancelled') world.checks.schedules.cancelled(id);
    return answer;
  };
}

async function enqueue(jobs: JobClient, scene: Scene, options: Parameters<JobClient['enqueue']>[2]): Promise<string> {
  const { world } = scene.stage;
  // Under the same key only within a type.
  const type = options?.key === undefined ? 'usual' : scene.type;
  const { id, duplicate, replaced = false } = await jobs.enqueue(JOB_TYPES[type], workItemOf({}), options);
  if (!duplicate) world.checks.accept(id);
  return replaced ? 'replaced' : duplicate ? 'duplicate' : 'created';
}

/** What producers do. */
export const CLIENT_VERBS: readonly Verb[] = [
  client('cancel', cancel({})),
  client('cancel-and-wait', cancel({ wait: 'PT2S' })),
  client(
    'cancel-by-key',
    async (jobs, { stage: { world }, type }) => {
      const { id, outcome } = await jobs.cancelByKey(JOB_TYPES[type], NAMES.key, {});
      if (id !== undefined) world.checks.told.cancel(id, outcome);
      return outcome;
    },
    { fits: ({ feature }) => hasKey(feature) },
  ),
  client('reschedule-later', (jobs, { id }) => jobs.reschedule(id, { delay: 'PT1H' })),
  client('reschedule-now', (jobs, { id }) => jobs.reschedule(id, { delay: 0 })),
  client('enqueue', (jobs, scene) => enqueue(jobs, scene, {})),
  client('enqueue-same-key', (jobs, scene) => enqueue(jobs, scene, { key: NAMES.key }), { fits: ({ feature }) => hasKey(feature) }),
  client('enqueue-key-for-a-time', (jobs, scene) => enqueue(jobs, scene, { key: { value: NAMES.key, for: 'PT10M' } }), {
    fits: ({ feature }) => hasKey(feature),
  }),
  ...(['replace', 'keep-latest'] as const).map((onConflict) =>
    client(`enqueue-${onConflict}`, (jobs, scene) => enqueue(jobs, scene, { key: { value: NAMES.key, onConflict } }), {
      fits: ({ feature }) => hasKey(feature),
    }),
  ),
  client(
    'enqueue-debounce',
    (jobs, scene) =>
      enqueue(jobs, scene, { key: { value: NAMES.key, onConflict: 'debounce', debounce: { wait: 'PT1M', maxWait: 'PT1H' } } }),
    { fits: ({ feature }) => hasKey(feature) },
  ),
  client('enqueue-same-id', (jobs, scene) => enqueue(jobs, scene, { id: jobIdFrom(scene.stage.now, 'own') }), {
    fits: ({ history }) => history === 'durable',
  }),
  client(
    'enqueue-into-group',
    async (jobs, { stage: { world } }) => {
      const { id } = await jobs.enqueue(JOB_TYPES.usual, workItemOf({ group: NAMES.group }));
      world.checks.accept(id);
    },
    { fits: ({ feature }) => feature === 'group' },
  ),
  client(
    'enqueue-under-limit',
    async (jobs, { stage: { world } }) => {
      const { id } = await jobs.enqueue(JOB_TYPES.limited, workItemOf({ limitKey: NAMES.limitKey }));
      world.checks.accept(id);
    },
    { fits: ({ feature }) => feature === 'limit' },
  ),
  client(
    'prepare',
    async (jobs, { stage: { world } }, process) => {
      const { id, items, ...prepared } = jobs.prepare(JOB_TYPES.usual, workItemOf({}), { key: NAMES.key });
      const { applied } = await world.ports(process).tables.transact(items as never, process.entropy.token());
      if (!applied) return 'refused';
      world.checks.accept(id);
      await prepared.dispatch();
      return 'committed';
    },
    { fits: ({ feature }) => feature === 'key' || feature === 'prepared' },
  ),
  client('seal-batch', (jobs, { batch }) => jobs.sealBatch(batch ?? ''), { fits: ({ feature }) => feature === 'open-batch' }),
  client('cancel-batch', (jobs, { batch }) => jobs.cancelBatch(batch ?? ''), { fits: ({ feature }) => isChild(feature) }),
  client('get', (jobs, { id }) => jobs.get(id), { reads: true }),
];
