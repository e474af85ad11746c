import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import type { SingleWrite, Tables } from '../../shared/ports/tables.ts';
import { brokenStage, work } from '../support/dead-letters.ts';
import { aimAt, faultyTables } from '../support/faulty-tables.ts';
import { Rig } from '../support/rig.ts';

describe('an operator who finds a dead letter that another one redrives first', () => {
  it.each([
    ['gives it tries all the same', { retries: 7 }, 'set'],
    ['gives it a due date all the same', { delay: 'PT9H' }, 'rescheduled'],
  ] as const)('%s', async (_title, change, outcome) => {
    const { rig } = brokenStage();
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    const faults = faultyTables(rig.tables);
    const admin = createAdminOver({ ...rig.deps, tables: faults.tables });
    const other = createAdminOver(rig.deps);
    faults.before(aimAt('delete', 'deadLetters'), async () => expect(await other.redrive(id)).toBe('redriven'));
    const answer = 'retries' in change ? admin.setRetries(id, change.retries) : admin.setDueDate(id, change);
    expect(await answer).toBe(outcome);
    expect(faults.pending()).toBe(0);
    const rows = [...(await rig.rows('jobs')), ...(await rig.rows('timers'))];
    expect(rows).toMatchObject([
      'retries' in change ? { id, triesLimit: 7 } : { id, dueAt: new Date(rig.clock.now() + 9 * 3_600_000).toISOString() },
    ]);
  });

  it('is told so when it was deleted', async () => {
    const { rig, admin } = brokenStage();
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    const faults = faultyTables(rig.tables);
    faults.before(aimAt('delete', 'deadLetters'), async () => admin.delete(id));
    expect(await createAdminOver({ ...rig.deps, tables: faults.tables }).setRetries(id, 3)).toBe('not-found');
  });
});

describe('tries whose reply was lost while the job moved', () => {
  it.each(['in its table', 'to another table'])('%s are given once', async (where) => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {}, where === 'in its table' ? {} : { delay: 'PT5H' });
    const other = createAdminOver(rig.deps);
    const moved = async (): Promise<unknown> =>
      where === 'in its table' ? other.setPriority(id, 7) : other.breakpoint(id, { reason: 'test' });
    const tables = losingOnce(rig.tables, moved);
    expect(await createAdminOver({ ...rig.deps, tables }).setRetries(id, 4)).toBe('set');
    const [row] = [...(await rig.rows('jobs')), ...(await rig.rows('suspended'))];
    // Created, tries set, moved by the other.
    expect(row).toMatchObject({ triesLimit: 4, rev: 3 });
  });
});

/** Loses the reply of the first update; `meanwhile` happens before the SDK tries again. */
function losingOnce(inner: Tables, meanwhile: () => Promise<unknown>): Tables {
  let lost = false;
  return {
    ...inner,
    get: async (...asked) => inner.get(...asked),
    query: async (query) => inner.query(query),
    transact: async (...given) => inner.transact(...given),
    write: async (write: SingleWrite, window) => {
      const first = await inner.write(write, window);
      if (lost || write.op !== 'update') return first;
      lost = true;
      await meanwhile();
      return { ...(await inner.write(write, window)), attempts: 2 };
    },
  };
}
