import type { ScriptedWorld } from '../exhaustive/scripted-world.ts';
import type { SimProcess } from '../simulation/world/sim-process.ts';
import { JOB_TYPES, type TypeName } from '../simulation/workload/work-item-jobs.ts';
import { enqueue, workItemFor, everyMs, lastPlanned, putSchedule } from './make-job.ts';
import { receiveOne } from './receive-one.ts';
import { NAMES, type Scene } from './scene.ts';
import { type Feature, isScheduled, type Situation } from './situation.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Longer than any lease and than what the sweeper waits before it sends a hint again. */
const EXPIRED_MS = 7 * MINUTE;
/** An acquirer looks a little ahead. */
const BEFORE_DUE_MS = 4 * MINUTE;

const TYPES: Readonly<Partial<Record<Feature, TypeName>>> = { ordered: 'ordered', limit: 'limited', rate: 'rated', overdue: 'overdue' };

/** Brings a world into a situation, by the verbs that bring a deployment into it. */
export async function makeScene(stage: ScriptedWorld, situation: Situation): Promise<Scene> {
  stage.source.on = false;
  const frozen: SimProcess[] = [];
  const { state, feature } = situation;
  const type = TYPES[feature] ?? 'usual';
  if (state === 'held-back' && !isScheduled(feature)) await occupy(stage, { type, feature, frozen });
  const made = isScheduled(feature) ? await planned(stage, situation, frozen) : await enqueue(stage, type, situation);
  const scene: Scene = { stage, situation, type, frozen, ...made };
  await bring(scene, frozen);
  // Whoever acts from now on does so in a sandbox of his own.
  stage.sandboxes.retire();
  return scene;
}

/** Puts the schedule; the occurrence before runs when the one that matters is due, if that is to be held back. */
async function planned(stage: ScriptedWorld, situation: Situation, frozen: SimProcess[]): Promise<Pick<Scene, 'id' | 'schedule'>> {
  const schedule = await putSchedule(stage, situation);
  if (situation.state === 'held-back') {
    await stage.pass(everyMs(situation.feature));
    await ended(stage, stage.acquire());
    await freeze(stage, frozen);
  }
  return { id: lastPlanned(stage), schedule };
}

/** Lets another job hold what this one will need. */
async function occupy(stage: ScriptedWorld, { type, feature, frozen }: { type: TypeName; feature: Feature; frozen: SimProcess[] }) {
  const workItem = workItemFor({ state: 'ready', feature, end: 'plain', history: 'off' });
  await stage.enqueue(type, workItem);
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
