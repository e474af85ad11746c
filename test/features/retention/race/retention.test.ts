import { describe, expect, it } from 'vitest';
import type { SweeperDeps } from '../../../../functions/sweeper/deps.ts';
import { quarantine } from '../../../../shared/store/quarantine.ts';
import { brokenStage, work } from '../../../support/dead-letters.ts';
import { type Aim, faultyTables } from '../../../support/faulty-tables.ts';
import { type OldStage, oldDeadLetters, sweepAgain, sweepOver } from '../../../support/old-dead-letters.ts';

const DAY = 86_400_000;
const removal: Aim = (writes) => writes.some(({ op, table }) => op === 'delete' && table === 'deadLetters');

/** A stage with a rule, and what happens right before the first removal in a run of the sweeper. */
async function meanwhile(act: (stage: OldStage, id: string) => Promise<unknown>): Promise<OldStage & { readonly id: string }> {
  const stage = await oldDeadLetters();
  const [id = ''] = stage.old;
  await stage.admin.setRetention({ type: 'work' }, 30);
  const faults = faultyTables(stage.rig.tables);
  faults.before(removal, async () => act(stage, id));
  const parts: Partial<SweeperDeps> = { tables: faults.tables };
  await sweepOver(stage.rig, parts);
  return { ...stage, id };
}

describe('a dead letter that is about to be removed', () => {
  it('is live if it was redriven meanwhile', async () => {
    const { rig, admin, health, id } = await meanwhile(async ({ admin: other }, job) => {
      expect(await other.redrive(job)).toBe('redriven');
    });
    health.broken = false;
    await rig.drain();
    expect(await admin.find(id)).toMatchObject({ state: 'finished' });
    expect((await admin.audit()).filter(({ verb }) => verb === 'retention')).toEqual([]);
  });

  it('that was redriven, and died again meanwhile, is young', async () => {
    const { rig, admin, id } = await meanwhile(async ({ admin: other, rig: made }, job) => {
      await other.redrive(job);
      await made.drain();
    });
    await sweepAgain(rig);
    expect(await admin.find(id)).toMatchObject({ state: 'dead' });
  });

  it('that was edited meanwhile stays as it was edited, until the next pass', async () => {
    const { rig, admin, id } = await meanwhile(async ({ admin: other }, job) => other.editPayload(job, { edited: true }));
    expect(await admin.find(id)).toMatchObject({ state: 'dead', payload: '{"edited":true}' });
    await sweepAgain(rig);
    expect(await admin.find(id)).toBeUndefined();
  });

  it('that was given to another type meanwhile goes by the rule of that type', async () => {
    const { rig, admin, id } = await meanwhile(async ({ admin: other }, job) => other.move(job, { type: 'other' }));
    await sweepAgain(rig);
    expect(await admin.find(id)).toMatchObject({ state: 'dead', type: 'other' });
  });

  it.each([{ note: 'the bank' }, { owner: 'anna' }])('stays if its error group gets %o meanwhile', async (words) => {
    const { rig, admin, id } = await meanwhile(async ({ admin: other }) => {
      const [group] = (await other.errorGroups({ state: 'all', type: 'work' })).groups;
      await other.annotateErrorGroup(group?.fingerprint ?? '', words);
    });
    expect(await admin.find(id)).toMatchObject({ state: 'dead' });
    await sweepAgain(rig);
    expect(await admin.find(id)).toMatchObject({ state: 'dead' });
  });

  it('is removed once when two sweepers run at the same time', async () => {
    const { admin, rig, id } = await meanwhile(async ({ rig: made }) => made.sweep());
    expect(await admin.find(id)).toBeUndefined();
    expect((await admin.audit()).filter(({ verb }) => verb === 'retention')).toHaveLength(1);
    const [group] = (await admin.errorGroups({ state: 'all', type: 'work' })).groups;
    expect(group?.deleted).toBe(1);
    expect(rig.journal.count('store-failed')).toBe(0);
  });
});

it('a quarantined dead letter that was redriven, and quarantined again meanwhile, is young', async () => {
  const { rig, admin } = brokenStage();
  const { id } = await rig.client.enqueue(work, {});
  const quarantineIt = async () => {
    const [row = {}] = await rig.rows('jobs');
    await quarantine(rig.tables, 'jobs', row, { error: new Error('attribute later holds 1'), now: rig.clock.now() });
  };
  await quarantineIt();
  await rig.clock.advance(40 * DAY);
  await admin.setRetention({ type: 'work' }, 30);
  const faults = faultyTables(rig.tables);
  faults.before(removal, async () => {
    expect(await admin.redrive(id)).toBe('redriven');
    await quarantineIt();
  });
  await sweepOver(rig, { tables: faults.tables });
  expect(await admin.find(id)).toMatchObject({ state: 'dead', reason: 'unreadable' });
});

it('a removal whose reply is lost is one removal', async () => {
  const { rig, admin, old } = await oldDeadLetters();
  await admin.setRetention({ type: 'work' }, 30);
  const faults = faultyTables(rig.tables);
  faults.next(removal, 'lost-reply');
  await sweepOver(rig, { tables: faults.tables });
  expect(await admin.find(old[0] ?? '')).toBeUndefined();
  const [group] = (await admin.errorGroups({ state: 'all', type: 'work' })).groups;
  expect(group?.deleted).toBe(1);
});
