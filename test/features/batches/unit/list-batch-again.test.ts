import { describe, expect, it } from 'vitest';
import { iso } from '../../../../shared/job/instant.ts';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { batchListKey } from '../../../../shared/features/batches/store/batch-rows.ts';
import { listBatchAgain } from '../../../../shared/features/batches/store/list-batch-again.ts';
import { NOON } from '../../../unit/job/sample-job.ts';

const FRESH_MS = 20_000;

/** What lists the batch after a child came back at noon, when it was listed before at `listedAt`. */
async function listed(listedAt?: number) {
  const tables = createMemoryTables();
  if (listedAt !== undefined) await listBatchAgain(tables, 'b', 'before', listedAt);
  await listBatchAgain(tables, 'b', 'now', NOON);
  return tables.get('control', batchListKey('b'));
}
const anew = { ...batchListKey('b'), revived: 'now', revivedAt: iso(NOON) };

describe('a batch ahead of a child that comes back', () => {
  it.each([
    ['never', undefined],
    ['twenty seconds ago', NOON - FRESH_MS],
    ['by a clock that is ahead', NOON + 1],
  ])('is listed anew when it was listed %s', async (_, listedAt) => {
    expect(await listed(listedAt)).toEqual(anew);
  });

  it.each([NOON, NOON - FRESH_MS + 1])('is left as it is when it was listed a moment ago (%i)', async (listedAt) => {
    expect(await listed(listedAt)).toEqual({ ...batchListKey('b'), revived: 'before', revivedAt: iso(listedAt) });
  });
});
