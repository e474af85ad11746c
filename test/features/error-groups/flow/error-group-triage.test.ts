import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import type { Tables, Write } from '../../../../shared/ports/tables.ts';
import { brokenStage, type DeadLetterStage, work } from '../../../support/dead-letters.ts';

const DAY = 86_400_000;
const told = { actor: 'anna', reason: 'ticket 4711' };

async function dies({ rig }: DeadLetterStage): Promise<void> {
  await rig.clock.advance(1);
  await rig.client.enqueue(work, {});
  await rig.drain();
  await rig.clock.advance(15_000);
  await rig.drain();
}

/** A group with one dead letter, and its fingerprint. */
async function stage(): Promise<DeadLetterStage & { readonly fingerprint: string }> {
  const made = brokenStage();
  await dies(made);
  const [group] = (await made.admin.errorGroups()).groups;
  return { ...made, fingerprint: group?.fingerprint ?? '' };
}

const statesOf = async ({ admin }: DeadLetterStage, state: 'open' | 'ignored' | 'resolved') =>
  (await admin.errorGroups({ state })).groups.map((group) => group.cameBack ?? false);

describe('an error group', () => {
  it('keeps a note and an owner while more jobs die of it, and loses the one that is removed', async () => {
    const made = await stage();
    const { admin, fingerprint } = made;
    expect(await admin.annotateErrorGroup(fingerprint, { note: 'the bank', owner: 'payments' }, told)).toBe('annotated');
    await dies(made);
    expect(await admin.errorGroup(fingerprint)).toMatchObject({ note: 'the bank', owner: 'payments', open: 2, state: 'open' });
    await admin.annotateErrorGroup(fingerprint, { note: null });
    const group = await admin.errorGroup(fingerprint);
    expect([group?.note, group?.owner]).toEqual([undefined, 'payments']);
  });

  it('is out of the open ones while it is ignored, even if more jobs die of it, and back when its time is over', async () => {
    const made = await stage();
    const { admin, rig, fingerprint } = made;
    expect(await admin.ignoreErrorGroup(fingerprint, rig.clock.now() + DAY, told)).toBe('ignored');
    await dies(made);
    expect(await statesOf(made, 'open')).toEqual([]);
    expect(await statesOf(made, 'ignored')).toEqual([false]);
    await rig.clock.advance(DAY);
    expect(await statesOf(made, 'open')).toEqual([false]);
  });

  it('is resolved until a job dies of it again, and then says that it came back', async () => {
    const made = await stage();
    const { admin, fingerprint } = made;
    expect(await admin.resolveErrorGroup(fingerprint, told)).toBe('resolved');
    expect(await statesOf(made, 'open')).toEqual([]);
    expect(await admin.errorGroup(fingerprint)).toMatchObject({ state: 'resolved', resolvedBy: 'anna', open: 1 });
    await dies(made);
    expect(await statesOf(made, 'open')).toEqual([true]);
    expect(await statesOf(made, 'resolved')).toEqual([]);
    await admin.resolveErrorGroup(fingerprint);
    expect(await statesOf(made, 'resolved')).toEqual([false]);
  });

  it('stays resolved when a death from before is counted only after it', async () => {
    const made = await stage();
    const { admin, rig, fingerprint } = made;
    await rig.client.enqueue(work, {});
    await rig.drain();
    await rig.clock.advance(1);
    await admin.resolveErrorGroup(fingerprint);
    await rig.clock.advance(15_000);
    await rig.client.enqueue(work, {}, { delay: 60_000 });
    await rig.drain();
    expect(await statesOf(made, 'resolved')).toEqual([false]);
  });

  it('is closed when its last dead letter has left, whatever was said, and open as come back when it dies again', async () => {
    const made = await stage();
    const { admin, rig, fingerprint } = made;
    await admin.resolveErrorGroup(fingerprint);
    await rig.clock.advance(60_000);
    await admin.redrive((await admin.list({ state: 'dead' })).jobs[0]?.id ?? '');
    expect(await admin.errorGroup(fingerprint)).toMatchObject({ state: 'closed' });
    await rig.drain();
    expect(await admin.errorGroup(fingerprint)).toMatchObject({ state: 'open', cameBack: true });
  });

  it('is open again when ignore and resolve are taken back', async () => {
    const made = await stage();
    const { admin, rig, fingerprint } = made;
    await admin.ignoreErrorGroup(fingerprint, rig.clock.now() + DAY);
    expect(await admin.reopenErrorGroup(fingerprint, told)).toBe('reopened');
    await admin.resolveErrorGroup(fingerprint);
    await admin.reopenErrorGroup(fingerprint);
    const group = await admin.errorGroup(fingerprint);
    expect([group?.state, group?.ignoredUntil, group?.resolvedAt, group?.resolvedBy]).toEqual(['open', undefined, undefined, undefined]);
  });

  it('has an entry in the audit for each of these, without the text of the note', async () => {
    const { admin, rig, fingerprint } = await stage();
    const until = rig.clock.now() + DAY;
    await admin.annotateErrorGroup(fingerprint, { note: 'a secret', owner: 'payments' }, told);
    await admin.ignoreErrorGroup(fingerprint, until, told);
    await admin.resolveErrorGroup(fingerprint, told);
    await admin.reopenErrorGroup(fingerprint, told);
    const entries = await admin.audit();
    expect(entries.map(({ verb }) => verb).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'annotateErrorGroup',
      'ignoreErrorGroup',
      'reopenErrorGroup',
      'resolveErrorGroup',
    ]);
    for (const entry of entries) expect(entry).toMatchObject({ scope: `error-group#${fingerprint}`, ...told });
    expect(entries.find(({ verb }) => verb === 'annotateErrorGroup')?.detail).toBe('note, owner payments');
    expect(entries.find(({ verb }) => verb === 'ignoreErrorGroup')?.detail).toBe(`until ${new Date(until).toISOString()}`);
    expect(JSON.stringify(entries)).not.toContain('a secret');
  });

  it('is not found under another fingerprint, and refuses what cannot be meant', async () => {
    const { admin, rig, fingerprint } = await stage();
    expect(await admin.annotateErrorGroup('none', { owner: 'a' })).toBe('not-found');
    expect(await admin.ignoreErrorGroup('none', rig.clock.now() + DAY)).toBe('not-found');
    expect(await admin.resolveErrorGroup('none')).toBe('not-found');
    expect(await admin.reopenErrorGroup('none')).toBe('not-found');
    expect(await admin.audit()).toEqual([]);
    expect((await admin.errorGroups({ state: 'all' })).groups).toHaveLength(1);
    await expect(admin.ignoreErrorGroup(fingerprint, rig.clock.now())).rejects.toThrow('Use an instant in the future');
    await expect(admin.annotateErrorGroup(fingerprint, {})).rejects.toThrow('Give a note, an owner, or null');
    await expect(admin.annotateErrorGroup(fingerprint, { note: ' ' })).rejects.toThrow('Use a string, or null');
    await expect(admin.annotateErrorGroup(fingerprint, { note: 'ä'.repeat(513) })).rejects.toThrow('1026 bytes');
    await expect(admin.annotateErrorGroup(fingerprint, { owner: 'a', nte: 'b' } as never)).rejects.toThrow('nte');
    await expect(admin.resolveErrorGroup(fingerprint, { because: 'b' } as never)).rejects.toThrow('because');
    await expect(admin.annotateErrorGroup('', { owner: 'a' })).rejects.toThrow('fingerprint');
  });

  it('is not made of a damaged row', async () => {
    const { admin, rig } = await stage();
    await rig.tables.write({ op: 'put', table: 'control', row: { pk: 'error-groups', sk: 'damaged', type: 'work' } });
    expect(await admin.annotateErrorGroup('damaged', { owner: 'a' })).toBe('not-found');
  });

  it('is not said to be missing when another transaction is in the way', async () => {
    const { rig, fingerprint } = await stage();
    const tables: Tables = Object.assign(Object.create(rig.tables) as Tables, {
      transact: async (writes: readonly Write[]) =>
        Promise.resolve({ applied: false, attempts: 1, reasons: writes.map(() => ({ code: 'conflict' })) }),
    });
    await expect(createAdminOver({ ...rig.deps, tables }).resolveErrorGroup(fingerprint)).rejects.toThrow(StoreUnavailableError);
  });
});
