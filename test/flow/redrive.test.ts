import { describe, expect, it, vi } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { InvalidInputError, UnauditedError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { decodeLeasedJob } from '../../shared/store/job-codec.ts';
import { idKey } from '../../shared/store/rows.ts';
import { aimAt, faultyTables } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload, retry: 'R2/PT1M' });

/** A job that failed on both of its tries; `repaired` makes the handler succeed from then on. */
async function dead(key?: string): Promise<{ rig: Rig; id: string; run: ReturnType<typeof vi.fn>; fix: () => void }> {
  let broken = true;
  const run = vi.fn(() => {
    if (broken) throw new Error('no');
  });
  const rig = new Rig({ handlers: [work.handle(run)] });
  const { id } = await rig.client.enqueue(work, { a: 1 }, key === undefined ? {} : { key });
  await rig.drain();
  await rig.clock.advance(60_000);
  await rig.drain();
  expect((await rig.client.get(id))?.state).toBe('dead');
  return { rig, id, run, fix: () => (broken = false) };
}

describe('redrive', () => {
  it('runs a dead letter again with fresh counters, and neither its revision nor its dispatches start anew', async () => {
    const { rig, id, run, fix } = await dead();
    fix();
    expect(await createAdminOver(rig.deps).redrive(id)).toBe('redriven');
    const row = decodeLeasedJob((await rig.tables.get('jobs', idKey(id))) ?? {});
    expect(row).toMatchObject({ failures: 0, starts: 0, payload: '{"a":1}', dispatches: 3 });
    expect(row.rev).toBeGreaterThan(4);
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(3);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', attempts: 1 });
    expect((await rig.counts()).deadLetters).toBe(0);
  });

  it('keeps what kind of job it is, whether it runs now or later', async () => {
    const never = defineJob('never', { payload: anyPayload, retry: 'never' });
    const rig = new Rig({
      handlers: [
        never.handle(() => {
          throw new Error('no');
        }),
      ],
    });
    const timer = await rig.client.enqueue(never, {}, { delay: 'PT1H' });
    const plain = await rig.client.enqueue(never, {});
    await rig.drain();
    await rig.clock.advance(3_600_000);
    await rig.fire();
    await rig.drain();
    expect((await rig.rows('deadLetters')).map(({ id, kind }) => [id, kind])).toEqual(
      expect.arrayContaining([
        [timer.id, 'timer'],
        [plain.id, 'async'],
      ]),
    );
    const admin = createAdminOver(rig.deps);
    expect(await admin.redrive(timer.id)).toBe('redriven');
    expect(await rig.tables.get('jobs', idKey(timer.id))).toMatchObject({ kind: 'timer' });
    expect(await admin.redrive(plain.id, { at: rig.clock.now() + 3_600_000 })).toBe('redriven');
    expect((await rig.rows('timers')).map(({ id, kind }) => [id, kind])).toEqual([[plain.id, 'async']]);
  });

  it('gives all its tries back: it fails as often again before it is dead again', async () => {
    const { rig, id, run } = await dead();
    await createAdminOver(rig.deps).redrive(id);
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 1 });
    await rig.clock.advance(60_000);
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(4);
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead', failures: 2 });
  });

  it('of a grouped job within five minutes is not taken for a duplicate by its FIFO queue', async () => {
    const grouped = defineJob('grouped', { payload: anyPayload, group: 'g', retry: 'never' });
    const run = vi.fn(() => {
      throw new Error('no');
    });
    const rig = new Rig({ handlers: [grouped.handle(run)] });
    const { id } = await rig.client.enqueue(grouped, {});
    await rig.drain();
    expect(await createAdminOver(rig.deps).redrive(id)).toBe('redriven');
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('takes the unique key again, and refuses while another job holds it', async () => {
    const { rig, id, fix } = await dead('k');
    fix();
    const other = await rig.client.enqueue(work, {}, { key: 'k', delay: 'PT1H' });
    const admin = createAdminOver(rig.deps);
    expect(await admin.redrive(id)).toBe('key-taken');
    expect((await rig.client.get(id))?.state).toBe('dead');
    await rig.client.cancel(other.id);
    expect(await admin.redrive(id)).toBe('redriven');
    expect(await rig.client.enqueue(work, {}, { key: 'k' })).toEqual({ id, duplicate: true });
  });

  it('twice at once makes one job and one message', async () => {
    const { rig, id } = await dead();
    const admin = createAdminOver(rig.deps);
    const outcomes = await Promise.all([admin.redrive(id), admin.redrive(id)]);
    expect(outcomes.filter((outcome) => outcome === 'redriven')).toHaveLength(1);
    expect(await rig.hints.visible({ worker: 'default', lane: 'default', kind: 'standard' })).toBe(1);
  });

  it('says what it cannot redrive: nothing there, an unreadable row, no id at all', async () => {
    const rig = new Rig();
    const admin = createAdminOver(rig.deps);
    expect(await admin.redrive(rig.client.newId())).toBe('not-found');
    const { id } = await rig.client.enqueue(work, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { failures: 'many' } });
    await rig.drain();
    expect(await admin.redrive(id)).toBe('unreadable');
    await expect(admin.redrive('job 7')).rejects.toThrow(InvalidInputError);
  });

  it('with the revision that was seen leaves a dead letter alone that has changed since, whoever changed it', async () => {
    const { rig, id } = await dead();
    const admin = createAdminOver(rig.deps);
    const seen = (await admin.find(id))?.rev ?? 0;
    await admin.editPayload(id, { by: 'somebody else' });
    expect(await admin.redrive(id, { payload: { mine: true }, rev: seen })).toBe('changed');
    expect(await admin.find(id)).toMatchObject({ state: 'dead', payload: '{"by":"somebody else"}' });
    await expect(admin.redrive(id, { rev: 1.5 })).rejects.toThrow(InvalidInputError);
    expect(await admin.redrive(id, { payload: { mine: true }, rev: seen + 1 })).toBe('redriven');
  });

  it('keeps who did it and why in the audit', async () => {
    const { rig, id } = await dead();
    const admin = createAdminOver(rig.deps);
    await admin.redrive(id, { actor: 'anna', reason: 'the relay is back', payload: { b: 1 } });
    const [entry] = await admin.audit();
    expect(entry).toMatchObject({ verb: 'redrive', actor: 'anna', reason: 'the relay is back', detail: 'with another payload', jobId: id });
  });

  it('says that it is done when only its entry in the audit was not taken', async () => {
    const { rig, id } = await dead();
    const faults = faultyTables(rig.tables);
    faults.next(aimAt('put', 'control'), 'unavailable');
    const admin = createAdminOver({ ...rig.deps, tables: faults.tables });
    const error = await admin.redrive(id).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnauditedError);
    expect(error).toMatchObject({ answer: 'redriven', message: expect.stringContaining('Do not repeat it') as string });
    expect((await rig.client.get(id))?.state).toBe('ready');
  });
});
