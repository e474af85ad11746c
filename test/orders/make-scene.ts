import type { EnqueueOptions } from '../../shared/core/enqueue-options.ts';
import { type ScheduleDefinition, defineSchedule } from '../../shared/core/schedule/definition.ts';
import type { Write } from '../../shared/ports/tables.ts';
import { errandOf, type ScriptedWorld } from '../exhaustive/scripted-world.ts';
import type { SimProcess } from '../simulation/world/sim-process.ts';
import { type Errand, JOB_TYPES, type TypeName } from '../simulation/workload/errand-jobs.ts';
import { receiveOne } from './receive-one.ts';
import { NAMES, type Scene } from './scene.ts';
import { type Feature, isApart, isScheduled, type Situation } from './situation.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Longer than any lease and than what the sweeper waits before it sends a hint again. */
const EXPIRED_MS = 7 * MINUTE;
/** An acquirer looks a little ahead. */
const BEFORE_DUE_MS = 4 * MINUTE;

const TYPES: Readonly<Partial<Record<Feature, TypeName>>> = { limit: 'limited', rate: 'rated' };

/** Brings a world into a situation, by the verbs that bring a deployment into it. */
export async function makeScene(stage: ScriptedWorld, situation: Situation): Promise<Scene> {
  stage.source.on = false;
  const frozen: SimProcess[] = [];
  const { state, feature } = situation;
  const type = TYPES[feature] ?? 'usual';
  if (state === 'held-back' && !isScheduled(feature)) await occupy(stage, { type, feature, frozen });
  const made = isScheduled(feature) ? await putSchedule(stage, situation, frozen) : await enqueue(stage, type, situation);
  const scene: Scene = { stage, situation, type, frozen, ...made };
  await bring(scene, frozen);
  // Whoever acts from now on does so in a sandbox of his own.
  stage.sandboxes.retire();
  return scene;
}

function errandFor({ state, feature, end }: Situation): Errand {
  const kind = state === 'dead' ? 'refused' : end;
  const group = feature === 'group' ? { group: NAMES.group } : {};
  const limitKey = feature === 'limit' || feature === 'rate' ? { limitKey: NAMES.limitKey } : {};
  return errandOf({ kind, workMs: SECOND, times: 1, delayMs: 20 * SECOND, generations: kind === 'joining' ? 1 : 0, ...group, ...limitKey });
}

function optionsFor({ state, feature }: Situation): EnqueueOptions {
  return {
    ...(state === 'delayed' ? { delay: HOUR } : {}),
    ...(feature === 'key' ? { key: NAMES.key } : {}),
    ...(feature === 'tenant' ? { tenant: NAMES.tenant } : {}),
  };
}

async function enqueue(stage: ScriptedWorld, type: TypeName, situation: Situation): Promise<Pick<Scene, 'id' | 'batch'>> {
  const { feature } = situation;
  const [errand, options] = [errandFor(situation), optionsFor(situation)];
  const payload = feature === 'payload' ? { ...errand, note: 'x'.repeat(20_000) } : errand;
  const made = await stage.asClient(async (client, process) => {
    if (feature === 'prepared') {
      const prepared = client.prepare(JOB_TYPES[type], payload, options);
      await stage.world.ports(process).tables.transact(prepared.items as Write[], process.entropy.token());
      await prepared.dispatch();
      return { id: prepared.id };
    }
    if (feature !== 'batch' && feature !== 'open-batch') return { id: (await client.enqueue(JOB_TYPES[type], payload, options)).id };
    const batch = await client.createBatch();
    const { id } = await batch.enqueue(JOB_TYPES[type], payload, options);
    if (feature === 'batch') await batch.seal();
    return { id, batch: batch.id };
  });
  if (made === undefined) throw new Error('Nothing was enqueued.');
  stage.world.checks.accept(made.id);
  return made;
}

const OVERLAPS = { skipping: 'skip', queueing: 'queue' } as const;
/** Where occurrences stay apart, the next one comes within the lease of the last. */
const everyMs = (feature: Feature): number => (isApart(feature) ? 30 * SECOND : HOUR);

async function putSchedule(stage: ScriptedWorld, situation: Situation, frozen: SimProcess[]): Promise<Pick<Scene, 'id' | 'schedule'>> {
  const { feature, state } = situation;
  const every = everyMs(feature);
  const schedule: ScheduleDefinition = defineSchedule(NAMES.schedule, {
    job: JOB_TYPES.usual,
    payload: errandFor(situation),
    every: `PT${every / SECOND}S`,
    until: stage.now + 2.5 * every,
    missed: 'all',
    overlap: feature === 'skipping' || feature === 'queueing' ? OVERLAPS[feature] : 'allow',
  });
  stage.world.checks.schedules.meddledWith(NAMES.schedule, 'apart');
  await stage.asOperator((admin) => admin.schedules.put(schedule));
  if (state === 'held-back') {
    // The occurrence before is running when the one that matters is due.
    await stage.pass(every);
    await ended(stage, stage.acquire());
    await freeze(stage, frozen);
  }
  const id = [...stage.world.checks.book.jobs.keys()].at(-1);
  if (id === undefined) throw new Error('No occurrence was planned.');
  return { id, schedule };
}

/** Lets another job hold what this one will need. */
async function occupy(stage: ScriptedWorld, { type, feature, frozen }: { type: TypeName; feature: Feature; frozen: SimProcess[] }) {
  const errand = errandFor({ state: 'ready', feature, end: 'plain', history: 'off' });
  await stage.enqueue(type, errand);
  await freeze(stage, frozen);
}

/** Lets time pass until this work has ended. */
async function ended(stage: ScriptedWorld, work: Promise<unknown>): Promise<void> {
  let done = false;
  void work.finally(() => (done = true));
  await stage.until(() => done, MINUTE);
}

/** A sandbox takes the next message, begins and stands still. */
async function freeze(stage: ScriptedWorld, frozen: SimProcess[]): Promise<void> {
  const { ledger } = stage.world.checks;
  const starts = ledger.starts;
  void receiveOne(stage);
  await stage.until(() => ledger.starts > starts, MINUTE);
  const runs = stage.sandboxes.processes.filter(({ role, paused }) => role === 'executor' && !paused);
  for (const process of runs.slice(-1)) {
    process.freeze('pause');
    frozen.push(process);
  }
}

/** From where a job begins to where it is wanted. */
async function bring({ stage, situation: { state, feature }, id, type }: Scene, frozen: SimProcess[]): Promise<void> {
  const isOccurrence = isScheduled(feature);
  const early = state === 'delayed' || state === 'paused';
  if (isOccurrence) await stage.pass(everyMs(feature) - (early ? BEFORE_DUE_MS : 0));
  if (isOccurrence && state !== 'delayed') await ended(stage, stage.acquire());
  await stage.pass(5 * SECOND);
  switch (state) {
    case 'ready':
      return;
    case 'hint-lost':
      for (const ref of stage.world.queues.refs) stage.world.queues.replace(ref);
      return stage.pass(EXPIRED_MS);
    case 'delayed':
      return stage.pass(isOccurrence ? 0 : HOUR - BEFORE_DUE_MS);
    case 'retrying':
    case 'dead':
    case 'finished':
      await ended(stage, receiveOne(stage));
      return stage.pass(30 * SECOND);
    case 'running':
      return freeze(stage, frozen);
    case 'expired':
      await freeze(stage, frozen);
      for (const process of frozen) process.kill();
      return stage.pass(EXPIRED_MS);
    case 'suspended':
      await stage.asOperator((admin) => admin.suspend({ type: JOB_TYPES[type].name }, { reason: 'an order' }));
      await stage.pass(10 * SECOND);
      await ended(stage, receiveOne(stage));
      return stage.pass(5 * SECOND);
    case 'stopped':
      return void (await stage.asOperator((admin) => admin.breakpoint(id, { reason: 'an order' })));
    case 'paused':
      await stage.asOperator((admin) => admin.schedules.pause(NAMES.schedule));
      return stage.pass(BEFORE_DUE_MS);
    case 'held-back':
      if (feature === 'skipping') return;
      await ended(stage, receiveOne(stage));
      return stage.pass(5 * SECOND);
    case 'cancelled':
      return void (await stage.asClient((client) => client.cancel(id)));
  }
}
