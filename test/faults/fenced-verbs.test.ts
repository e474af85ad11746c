import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { aimAt, type Fault } from '../../testing/index.ts';
import { ending, FENCED_VERBS, sdkRig } from './fenced-verbs.ts';

/** Faults after which the SDK or the adapter asks again; after the first two, the write meets what it wrote itself. */
const HEALED: readonly Fault[] = ['lost-reply', { fault: 'server-error', applied: true }, 'reset', 'conflict'];
const ADAPTER_TRIES = 6;

it.each(FENCED_VERBS)('$name: one fault changes neither what it says nor what it leaves', async (verb) => {
  const calm = await sdkRig();
  const act = await verb.prepare(calm);
  expect(await calm.until(act())).toMatchObject(verb.ends);
  const left = await ending(calm);
  for (const fault of HEALED) {
    const rig = await sdkRig();
    const disturbed = await verb.prepare(rig);
    rig.faults.next(aimAt(verb.operation), fault);
    expect(await rig.until(disturbed()), JSON.stringify(fault)).toMatchObject(verb.ends);
    expect(rig.faults.pending()).toBe(0);
    expect(await ending(rig), JSON.stringify(fault)).toEqual(left);
  }
});

it.each(FENCED_VERBS)('$name: conflicts without an end are no success, and nothing is written', async (verb) => {
  const rig = await sdkRig();
  const act = await verb.prepare(rig);
  const before = await ending(rig);
  rig.faults.rate('conflict', 1, aimAt(verb.operation));
  const said = await rig.until(act()).catch((error: unknown) => error);
  if (verb.endsInTheWay === undefined) expect(said).toBeInstanceOf(StoreUnavailableError);
  else expect(said).toEqual(verb.endsInTheWay);
  expect(rig.faults.counts().conflict).toBeGreaterThanOrEqual(ADAPTER_TRIES);
  rig.faults.stop();
  expect(await ending(rig)).toEqual(before);
});
