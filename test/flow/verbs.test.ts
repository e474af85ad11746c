import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BulkAction } from '../../operate/index.ts';
import { JOB_VERBS, jobMethods, jobMethodsOf } from '../../operate/verbs.ts';
import type { JobVerb } from '../../operate/verbs/verb.ts';
import { type EveryState, jobsInEveryState, sendMail } from '../console/jobs-in-every-state.ts';
import { Rig } from '../support/rig.ts';

const verbs: readonly JobVerb[] = JOB_VERBS;
const told = { actor: 'anna', reason: 'as told' };
const VALUES = { whole: 3, instant: new Date('2040-01-01T00:00:00Z'), name: 'other', json: { note: 'as told' }, flag: true };

let world: EveryState;

beforeEach(async () => {
  world = await jobsInEveryState();
});

afterEach(async () => world.release());

/** An action with all required arguments, and those without which it could not be counted. */
function actionOf({ name, arguments: given = [] }: JobVerb): BulkAction {
  const needed = given.filter(({ required, sample }) => required === true || sample !== undefined);
  return { verb: name, ...Object.fromEntries(needed.map(({ field, kind }) => [field, VALUES[kind]])) } as BulkAction;
}

async function targetOf({ name, acts, means = acts }: JobVerb): Promise<string> {
  if (name === 'release-group') return holdingJob();
  const state = means.find((one) => one !== 'running' && one in world.ids);
  return world.ids[state as keyof EveryState['ids']];
}

/** A dead letter that holds back its group. */
async function holdingJob(): Promise<string> {
  const { id } = await world.kit.client.enqueue(sendMail, {}, { delay: 'P1D', group: { name: 'held', onFailure: 'block' } });
  await world.admin.bury(id, told);
  return id;
}

async function entriesOf(since: number) {
  const entries = await world.admin.audit();
  return entries.slice(0, entries.length - since);
}

describe('every verb for jobs', () => {
  it.each(verbs)('$name does it to one job, says so, and leaves an entry under its method', async (verb) => {
    const [id, before] = [await targetOf(verb), (await world.admin.audit()).length];
    const outcome = await verb.act(world.admin, id, actionOf(verb), verb.context === undefined ? {} : told);
    expect(verb.done).toContain(outcome);
    expect(verb.says(outcome, actionOf(verb), String)).toMatch(/\.$/);
    const entries = await entriesOf(before);
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) expect(entry.verb).toBe(verb.method);
    if (verb.context !== undefined) expect(entries[0]).toMatchObject(told);
  });

  it.each(verbs)('$name does it to many jobs, and leaves the entries of a bulk action alone', async (verb) => {
    const [id, before] = [await targetOf(verb), (await world.admin.audit()).length];
    const report = await world.admin.bulk(actionOf(verb), { id }, told);
    expect(report).toMatchObject({ status: 'done', matched: 1, done: 1, leftAlone: {} });
    const entries = await entriesOf(before);
    expect(entries.map((entry) => entry.verb)).toEqual([`bulk ${verb.name}`, `bulk ${verb.name}`]);
  });

  it.each(verbs)('$name leaves a job alone in every state in which it does nothing', async (verb) => {
    const { waiting, ready, running, suspended, dead, finished, parked } = world.ids;
    for (const [state, id] of Object.entries({ waiting, ready, running, suspended, dead, finished, parked })) {
      if ((verb.acts as readonly string[]).includes(state)) continue;
      const outcome = await verb.act(world.admin, id, actionOf(verb), verb.context === undefined ? {} : told);
      expect(verb.done.includes(outcome) && outcome !== 'waiting', `${verb.name} of a job that is ${state}: ${outcome}`).toBe(false);
    }
  });
});

describe('the methods of the registry', () => {
  const rig = new Rig({ handlers: [] });
  const methods = verbs.map(({ method }) => method).filter((method) => method !== 'cancelWhere');

  it('are those that the verbs name, and those of a tenant but for what concerns the whole deployment', () => {
    expect(Object.keys(jobMethods(rig.deps)).toSorted()).toEqual(methods.toSorted());
    const others = methods.filter((method) => method !== 'changeTenant' && method !== 'move');
    expect(Object.keys(jobMethodsOf(rig.deps, 'acme')).toSorted()).toEqual(others.toSorted());
  });
});
