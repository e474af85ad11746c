import { describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../../shared/job/size-limits.ts';
import { uniqueKeyHash } from '../../../shared/job/unique-key.ts';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables, type MemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { Row } from '../../../shared/ports/tables.ts';
import { batchLeafKey, uniqueKeyKey, uniqueKeyRow } from '../../../shared/store/control-rows.ts';
import { idsOf, quarantine } from '../../../shared/store/quarantine.ts';
import { rowBytes } from '../../../shared/store/row-bytes.ts';
import { deadLetterRow, jobRow } from '../../../shared/store/rows.ts';
import { faultyTables } from '../../support/faulty-tables.ts';
import { idOf } from '../../support/job-rows.ts';
import { NOON, readyJob, sampleJob } from '../job/sample-job.ts';

const [id, another] = [idOf(1), idOf(2)];
const row: Row = { ...jobRow(readyJob({ id, key: 'k', batch: 'b', batchLeaf: 0 })), priority: 'high' };
const problem = { error: new Error('unreadable'), now: NOON };
const { fresh } = idsOf('jobs', row, NOON);
const KEY = uniqueKeyHash('invoice.send', undefined, 'k');

/** The row among others; `taken` are ids of dead letters. */
async function spoilt(keyOf: string | undefined, ...taken: readonly string[]) {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  await tables.write({ op: 'put', table: 'jobs', row });
  if (keyOf !== undefined) await tables.write({ op: 'put', table: 'control', row: uniqueKeyRow(KEY, keyOf, undefined) });
  for (const one of taken) {
    const dead = { ...sampleJob({ id: one }), reason: 'failed', failedAt: NOON, fingerprint: 'f' } as const;
    await tables.write({ op: 'put', table: 'deadLetters', row: deadLetterRow(dead) });
  }
  const transact = vi.spyOn(tables, 'transact');
  const tokens = () => transact.mock.calls.map(([, token]) => token);
  return { tables, tokens };
}
const dead = (tables: MemoryTables) => tables.rows('deadLetters').filter(({ reason }) => reason === 'unreadable');
const failed = async (tables: MemoryTables) => (await tables.get('control', batchLeafKey('b', 0)))?.['failed'];

describe('a row that cannot be read', () => {
  it('becomes a dead letter that says where it lay, frees its key and counts in its batch', async () => {
    const { tables, tokens } = await spoilt(id);
    expect(await quarantine(tables, 'jobs', row, problem)).toEqual({ id, type: 'invoice.send' });
    expect(dead(tables)).toMatchObject([{ id, from: 'jobs' }]);
    expect(tables.rows('jobs')).toEqual([]);
    expect(await tables.get('control', uniqueKeyKey(KEY))).toBeUndefined();
    expect(await failed(tables)).toBe(1);
    expect(tokens()).toHaveLength(1);
  });

  it('takes another id where there is a dead letter of its own, and frees its key all the same', async () => {
    const { tables, tokens } = await spoilt(id, id);
    expect(await quarantine(tables, 'jobs', row, problem)).toMatchObject({ id: fresh });
    expect(dead(tables)).toMatchObject([{ id: fresh }]);
    expect(await tables.get('control', uniqueKeyKey(KEY))).toBeUndefined();
    expect(new Set(tokens()).size).toBe(2);
  });

  it('keeps its id when its key belongs to another job, which keeps the key', async () => {
    const { tables, tokens } = await spoilt(another);
    expect(await quarantine(tables, 'jobs', row, problem)).toMatchObject({ id });
    expect((await tables.get('control', uniqueKeyKey(KEY)))?.['jobId']).toBe(another);
    expect(await failed(tables)).toBe(1);
    expect(new Set(tokens()).size).toBe(2);
  });

  it('takes another id and leaves the key where both are taken', async () => {
    const { tables } = await spoilt(another, id);
    expect(await quarantine(tables, 'jobs', row, problem)).toMatchObject({ id: fresh });
    expect((await tables.get('control', uniqueKeyKey(KEY)))?.['jobId']).toBe(another);
  });

  it('takes another id and leaves a key that another job took meanwhile', async () => {
    const { tables } = await spoilt(id, id);
    const faulty = faultyTables(tables);
    const taken = async () => tables.write({ op: 'put', table: 'control', row: uniqueKeyRow(KEY, another, undefined) });
    faulty.before((writes) => writes.some((write) => write.op === 'put' && write.row['id'] === fresh), taken);
    expect(await quarantine(faulty.tables, 'jobs', row, problem)).toMatchObject({ id: fresh });
    expect((await tables.get('control', uniqueKeyKey(KEY)))?.['jobId']).toBe(another);
    expect(faulty.pending()).toBe(0);
  });

  it('stays when it has changed, and is not tried again', async () => {
    const { tables, tokens } = await spoilt(id);
    await tables.write({ op: 'update', table: 'jobs', key: { id }, set: {}, add: { rev: 1 } });
    expect(await quarantine(tables, 'jobs', row, problem)).toBeUndefined();
    expect(tokens()).toHaveLength(1);
    expect(dead(tables)).toEqual([]);
  });

  it('was set aside before when both ids are taken', async () => {
    const { tables, tokens } = await spoilt(id, id, fresh);
    expect(await quarantine(tables, 'jobs', row, problem)).toBeUndefined();
    expect(tokens()).toHaveLength(2);
    expect(tables.rows('jobs')).toEqual([row]);
  });

  it('is kept as far as a dead letter has room, beside an error as long as any', async () => {
    const tables = createMemoryTables({ clock: new SettableClock(NOON) });
    const full = { id, payload: 'x'.repeat(344_064), note: 'y'.repeat(65_400) };
    await tables.write({ op: 'put', table: 'jobs', row: full });
    const error = Object.assign(new Error('m'.repeat(50_000)), { stack: 's'.repeat(50_000) });
    expect(await quarantine(tables, 'jobs', full, { error, now: NOON })).toMatchObject({ id });
    expect(String(dead(tables)[0]?.['payload']).length).toBeGreaterThan(300_000);
    expect(rowBytes(dead(tables)[0] ?? {})).toBeLessThanOrEqual(LIMITS.itemBytes);
  });

  it('has the id that its place in Timers names, if it does not name one itself', () => {
    const due = { shard: '00', due: `2026-01-01T00:00:00.000Z#${id}` };
    expect(idsOf('timers', due, NOON)).toMatchObject({ id, given: id });
    expect(idsOf('timers', { ...due, due: id }, NOON)).not.toHaveProperty('given');
  });
});
