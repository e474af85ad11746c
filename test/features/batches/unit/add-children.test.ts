import { describe, expect, it, vi } from 'vitest';
import { BatchClosedError, StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { LIMITS } from '../../../../shared/job/size-limits.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { addChildren, packChildren } from '../../../../shared/features/batches/store/add-children.ts';
import { batchBuilderKey, batchHeadKey } from '../../../../shared/features/batches/store/batch-rows.ts';
import type { NewJob } from '../../../../shared/store/create.ts';
import { rowBytes } from '../../../../shared/store/row-bytes.ts';
import { jobRow } from '../../../../shared/store/rows.ts';
import { faultyTables } from '../../../support/faulty-tables.ts';
import { idOf } from '../../../support/job-rows.ts';
import { NOON, readyJob } from '../../../unit/job/sample-job.ts';

const child = (seed: number, payload = '{}'): NewJob => ({
  job: readyJob({ id: idOf(seed), payload, batch: 'b' }),
  ready: true,
  ownId: false,
  token: 't',
});

/** An open batch whose builder's last write was `last`. */
async function open(last?: string, state = 'open') {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  await tables.write({ op: 'put', table: 'control', row: { ...batchHeadKey('b'), state } });
  if (last !== undefined) await tables.write({ op: 'put', table: 'control', row: { ...batchBuilderKey('b'), last, total: 1 } });
  const total = async () => (await tables.get('control', batchBuilderKey('b')))?.['total'];
  return { tables, total };
}

describe('children that a builder adds', () => {
  it.each([[undefined], ['one']])('follow the write before them (%s), once', async (last) => {
    const { tables, total } = await open(last);
    const before = Number((await total()) ?? 0);
    const terms = { token: 'two', known: [undefined, 'one'].slice(0, last === undefined ? 1 : 2) };
    await addChildren(tables, 'b', [child(1)], terms);
    await addChildren(tables, 'b', [child(1)], terms);
    expect(await total()).toBe(before + 1);
  });

  it('follow an earlier write, where the last one was not applied', async () => {
    const { tables, total } = await open('one');
    await addChildren(tables, 'b', [child(1)], { token: 'three', known: ['one', 'two'] });
    expect(await total()).toBe(2);
  });

  it('follow no write of which their builder does not know', async () => {
    const { tables, total } = await open('another');
    const adding = addChildren(tables, 'b', [child(1)], { token: 'two', known: ['one'] });
    await expect(adding).rejects.toThrow(StoreUnavailableError);
    expect([await total(), tables.rows('jobs').length]).toEqual([1, 0]);
  });

  it('are asked for again where a reply is lost, twice', async () => {
    const { tables, total } = await open('one');
    const faulty = faultyTables(tables);
    faulty.next(() => true, 'unavailable', 2);
    await addChildren(faulty.tables, 'b', [child(1)], { token: 'two', known: ['one'] });
    expect(await total()).toBe(2);
    faulty.next(() => true, 'lost-for-good', 2);
    await addChildren(faulty.tables, 'b', [child(2)], { token: 'three', known: ['two'] });
    expect(await total()).toBe(3);
    faulty.next(() => true, 'unavailable', 3);
    const adding = addChildren(faulty.tables, 'b', [child(3)], { token: 'four', known: ['three'] });
    await expect(adding).rejects.toThrow(StoreUnavailableError);
    expect([await total(), faulty.pending()]).toEqual([3, 0]);
  });

  it('are asked for once where a job has the id of one already', async () => {
    const { tables, total } = await open();
    await tables.write({ op: 'put', table: 'jobs', row: jobRow(readyJob({ id: idOf(1) })) });
    const transact = vi.spyOn(tables, 'transact');
    const adding = addChildren(tables, 'b', [child(1)], { token: 'one', known: [undefined] });
    await expect(adding).rejects.toThrow(StoreUnavailableError);
    expect([await total(), transact.mock.calls.length]).toEqual([undefined, 1]);
  });

  it('are not taken by a batch that is sealed', async () => {
    const { tables } = await open('one', 'sealed');
    await expect(addChildren(tables, 'b', [child(1)], { token: 'two', known: ['one'] })).rejects.toThrow(BatchClosedError);
    expect(tables.rows('jobs')).toEqual([]);
  });

  it('are ninety-eight at most in one transaction, of no more bytes than it may have', () => {
    const many = Array.from({ length: 99 }, (_, index) => child(index));
    expect(packChildren(many).map(({ length }) => length)).toEqual([98, 1]);
    const payload = 'x'.repeat(300_000);
    const fit = Math.floor(LIMITS.transactionBytes / rowBytes(jobRow(child(0, payload).job as never)));
    const big = Array.from({ length: fit + 1 }, (_, index) => child(index, payload));
    expect(packChildren(big).map(({ length }) => length)).toEqual([fit, 1]);
  });
});
