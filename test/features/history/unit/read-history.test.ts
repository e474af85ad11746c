import { describe, expect, it } from 'vitest';
import { dayPartOf, dueAtOf } from '../../../../shared/job/job-id.ts';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import type { Query } from '../../../../shared/ports/tables.ts';
import { attemptRow } from '../../../../shared/store/attempt-rows.ts';
import { listHistory, readJobHistory } from '../../../../shared/features/history/store/read-history.ts';
import { historyKey, historyRow } from '../../../../shared/store/rows.ts';
import { idOf } from '../../../support/job-rows.ts';
import { sampleJob } from '../../../unit/job/sample-job.ts';

const DAY = 86_400_000;
/** Jobs that lie in one partition, in the order of their ids. */
const part = dayPartOf(idOf(0));
const ids = Array.from({ length: 400 }, (_, seed) => idOf(seed))
  .filter((id) => dayPartOf(id) === part)
  .slice(0, 3)
  .toSorted();
const at = dueAtOf(ids[0] ?? '');
const attempt = (jobId: string) =>
  ({ jobId, run: 1, type: 't', worker: 'w', attempt: 1, startedAt: at, endedAt: at, outcome: 'completed', requestId: 'r' }) as const;

async function history() {
  const tables = createMemoryTables();
  for (const id of ids) {
    const { payload: _payload, ...job } = sampleJob({ id });
    await tables.write({ op: 'put', table: 'history', row: historyRow({ ...job, outcome: 'completed', finishedAt: at }, 3) });
    await tables.write({ op: 'put', table: 'history', row: attemptRow(attempt(id), 3) });
  }
  const queries: Query[] = [];
  const query = tables.query.bind(tables);
  tables.query = async (asked) => (queries.push(asked), query(asked));
  const spoil = async (id: string, sort = id) =>
    tables.write({ op: 'update', table: 'history', key: { ...historyKey(id), id: sort }, set: { startedAt: 'x', finishedAt: 'x' } });
  return { tables, queries, spoil };
}

describe('what History holds of a job', () => {
  it.each(ids)('is its end and its attempts alone, read strongly consistent (%s)', async (id) => {
    const { tables, queries } = await history();
    expect(await readJobHistory(tables, id)).toMatchObject({ finished: { id }, attempts: [{ jobId: id }] });
    expect(queries).toMatchObject([{ consistent: true }]);
  });

  it('is shown without what cannot be read', async () => {
    const { tables, spoil } = await history();
    const id = ids[1] ?? '';
    await spoil(id);
    expect(await readJobHistory(tables, id)).toEqual({ attempts: [attempt(id)] });
    const sort = String(attemptRow(attempt(id), 3)['id']);
    await spoil(id, sort);
    expect(await readJobHistory(tables, id)).toEqual({ attempts: [] });
  });
});

describe('a list of finished jobs', () => {
  it('has those of its range, newest first, without what cannot be read', async () => {
    const { tables, spoil } = await history();
    const list = async () => (await listHistory(tables, { from: at - DAY, until: at + 1, limit: 10 })).jobs.map(({ id }) => id);
    expect(await list()).toEqual(ids.toReversed());
    await spoil(ids[1] ?? '');
    expect(await list()).toEqual([ids[2], ids[0]]);
    expect((await listHistory(tables, { from: at - DAY, until: at, limit: 10 })).jobs).toEqual([]);
  });

  it('asks each of the 64 partitions of a day for its share, and some more', async () => {
    const { tables, queries } = await history();
    await listHistory(tables, { from: at, until: at + 1, limit: 2_000 });
    expect(new Set(queries.map(({ limit }) => limit))).toEqual(new Set([63]));
    queries.length = 0;
    await listHistory(tables, { from: at, until: at + 1, limit: 1 });
    expect(new Set(queries.map(({ limit }) => limit))).toEqual(new Set([10]));
  });
});
