import { describe, expect, it } from 'vitest';
import type { DeadLetter } from '../../../shared/job/job.ts';
import { keyToCancel } from '../../../shared/job/unique-key.ts';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { Tables } from '../../../shared/ports/tables.ts';
import { batchListKey } from '../../../shared/features/batches/store/batch-rows.ts';
import { uniqueKeyKey, uniqueKeyRow } from '../../../shared/store/control-rows.ts';
import { locate } from '../../../shared/store/locate.ts';
import { redrive, type RedriveTerms } from '../../../shared/store/redrive.ts';
import { deadLetterRow, jobRow, timerRow } from '../../../shared/store/rows.ts';
import { aimAt, faultyTables } from '../../support/faulty-tables.ts';
import { NOON, readyJob, sampleJob } from '../job/sample-job.ts';

const HOUR = 3_600_000;
const LATER = NOON + 5 * HOUR;
const { id, type } = sampleJob();
const workers = new Set([sampleJob().worker]);
const terms: RedriveTerms = { token: 'token', now: NOON, redispatchAfterMs: HOUR, delayHorizonMs: HOUR, workers };
const dead = (more: Partial<DeadLetter> = {}): DeadLetter => ({
  ...sampleJob(),
  reason: 'failed',
  failedAt: NOON,
  fingerprint: 'f',
  ...more,
});
const keyRow = (jobId: string, until?: number) => uniqueKeyRow(keyToCancel({ type, key: 'k' }) ?? '', jobId, until);

async function withDead(more: Partial<DeadLetter> = {}): Promise<Tables> {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  await tables.write({ op: 'put', table: 'deadLetters', row: deadLetterRow(dead(more)) });
  return tables;
}

/** The same tables, in which something happens just before the dead letter is taken. */
function meanwhile(inner: Tables, happens: () => Promise<unknown>): Tables {
  const faulty = faultyTables(inner);
  faulty.before(aimAt('delete', 'deadLetters'), happens);
  return faulty.tables;
}

describe('a redrive', () => {
  it('starts the job anew, without what was asked of, booked for or granted to its old life', async () => {
    const tables = await withDead({ cancelRequested: true, booked: 'b', runNow: true, triesLimit: 9, failures: 3, crashes: 1, starts: 4 });
    const { job } = (await redrive(tables, id, terms)) as { job: object };
    expect(job).toMatchObject({ dueAt: NOON, starts: 0, failures: 0, crashes: 0, rev: 3, dispatches: 2 });
    for (const old of ['cancelRequested', 'booked', 'runNow', 'triesLimit', 'reason', 'fingerprint']) expect(job).not.toHaveProperty(old);
    expect(await tables.get('deadLetters', { id })).toBeUndefined();
    expect((await locate(tables, id))?.state).toBe('ready');
  });

  it('for later waits in Timers, where it is found', async () => {
    const tables = await withDead();
    expect(await redrive(tables, id, { ...terms, dueAt: LATER, tries: 2 })).not.toHaveProperty('ready');
    expect(await locate(tables, id)).toMatchObject({ state: 'waiting', job: { dueAt: LATER, triesLimit: 2, rev: 3 } });
  });

  it('for a time within the delay horizon is ready', async () => {
    const tables = await withDead();
    expect(await redrive(tables, id, { ...terms, dueAt: NOON + HOUR })).toHaveProperty('ready');
    expect((await locate(tables, id))?.state).toBe('ready');
  });

  it.each([
    ['was changed', { op: 'update', table: 'deadLetters', key: { id }, set: {}, add: { rev: 1 } }],
    ['is gone', { op: 'delete', table: 'deadLetters', key: { id } }],
    ['runs again', { op: 'put', table: 'jobs', row: jobRow(readyJob({ rev: 99 })) }],
  ] as const)('leaves a job alone that %s meanwhile', async (_, write) => {
    const tables = await withDead();
    expect(
      await redrive(
        meanwhile(tables, async () => tables.write(write)),
        id,
        terms,
      ),
    ).toEqual({ outcome: 'changed' });
    expect((await tables.get('jobs', { id }))?.['rev']).toBe(write.op === 'put' ? 99 : undefined);
  });

  it('leaves a timer alone that lies where its own would', async () => {
    const tables = await withDead();
    const twin = timerRow(sampleJob({ dueAt: LATER, rev: 99 }));
    await tables.write({ op: 'put', table: 'timers', row: twin });
    expect(await redrive(tables, id, { ...terms, dueAt: LATER })).toEqual({ outcome: 'changed' });
  });

  it.each([NOON, LATER])('takes its unique key again, unless another job has it (due at %i)', async (dueAt) => {
    const free = await withDead({ key: 'k' });
    expect((await redrive(free, id, { ...terms, dueAt })).outcome).toBe('redriven');
    const { pk, sk } = keyRow(id);
    expect((await free.get('control', { pk: String(pk), sk: String(sk) }))?.['jobId']).toBe(id);
    const taken = await withDead({ key: 'k' });
    await taken.write({ op: 'put', table: 'control', row: keyRow('another') });
    expect((await redrive(taken, id, { ...terms, dueAt })).outcome).toBe('key-taken');
    expect(await taken.get('deadLetters', { id })).toBeDefined();
  });

  it('does not take a key again whose time is over', async () => {
    const tables = await withDead({ key: 'k', keyExpiresAt: NOON });
    expect((await redrive(tables, id, terms)).outcome).toBe('redriven');
    expect(await tables.get('control', uniqueKeyKey(keyToCancel({ type, key: 'k' }) ?? ''))).toBeUndefined();
  });

  it('lists its batch again before it comes back', async () => {
    const tables = await withDead({ batch: 'b' });
    let listed = false;
    const seen = meanwhile(tables, async () => {
      listed = (await tables.get('control', batchListKey('b'))) !== undefined;
    });
    expect((await redrive(seen, id, terms)).outcome).toBe('redriven');
    expect(listed).toBe(true);
  });

  it('of a revision that is no more leaves it alone, as it does what could not be read', async () => {
    expect(await redrive(await withDead(), id, { ...terms, rev: 1 })).toEqual({ outcome: 'changed' });
    expect((await redrive(await withDead(), id, { ...terms, rev: 2 })).outcome).toBe('redriven');
    expect(await redrive(await withDead({ reason: 'unreadable', raw: '{}' }), id, terms)).toEqual({ outcome: 'unreadable' });
  });
});
