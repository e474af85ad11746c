import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { quarantine } from '../../shared/store/quarantine.ts';
import { idKey } from '../../shared/store/rows.ts';
import { aimAt, faultyTables } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });

/** A job that an older version quarantined, and two operators of this one. */
async function stage() {
  const rig = new Rig({ handlers: [work.handle(() => undefined)] });
  const { id } = await rig.client.enqueue(work, {});
  const setAside = async (): Promise<void> => {
    const row = (await rig.tables.get('jobs', idKey(id))) ?? {};
    await quarantine(rig.tables, 'jobs', row, { error: new Error('unknown'), now: rig.clock.now() });
  };
  await setAside();
  const faults = faultyTables(rig.tables);
  return { rig, id, setAside, faults, admin: createAdminOver({ ...rig.deps, tables: faults.tables }), other: createAdminOver(rig.deps) };
}

describe('the redrive of a dead letter of an unreadable row', () => {
  it('happens once, although two operators do it at the same time', async () => {
    const { rig, id, faults, admin, other } = await stage();
    faults.before(aimAt('delete', 'deadLetters'), async () => expect(await other.redrive(id)).toBe('redriven'));
    expect(await admin.redrive(id)).toBe('changed');
    expect(await rig.counts()).toMatchObject({ jobs: 1, deadLetters: 0 });
  });

  it('leaves one that was deleted meanwhile gone', async () => {
    const { rig, id, faults, admin, other } = await stage();
    faults.before(aimAt('delete', 'deadLetters'), async () => other.delete(id));
    expect(await admin.redrive(id)).toBe('changed');
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 0 });
  });

  it('leaves one alone that was redriven and quarantined again', async () => {
    const { rig, id, setAside, faults, admin, other } = await stage();
    faults.before(aimAt('delete', 'deadLetters'), async () => {
      await other.redrive(id);
      await rig.clock.advance(1);
      await setAside();
    });
    expect(await admin.redrive(id)).toBe('changed');
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 1 });
  });

  it('leaves one alone that died as a job of this version meanwhile', async () => {
    const { rig, id, faults, admin, other } = await stage();
    faults.before(aimAt('delete', 'deadLetters'), async () => {
      await other.redrive(id);
      await other.bury(id, { reason: 'test' });
    });
    expect(await admin.redrive(id)).toBe('changed');
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({ reason: 'buried' });
  });

  it('whose reply was lost is known for done', async () => {
    const { rig, id, faults, admin } = await stage();
    faults.next(aimAt('delete', 'deadLetters'), 'lost-reply');
    expect(await admin.redrive(id)).toBe('redriven');
    expect(faults.pending()).toBe(0);
    expect(await rig.counts()).toMatchObject({ jobs: 1, deadLetters: 0 });
  });
});
