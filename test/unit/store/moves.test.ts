import { describe, expect, it } from 'vitest';
import type { LeasedJob } from '../../../shared/job/job.ts';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { TableName, Tables } from '../../../shared/ports/tables.ts';
import { bury } from '../../../shared/store/bury.ts';
import { runAgainLater } from '../../../shared/store/run-again-later.ts';
import { park } from '../../../shared/store/park.ts';
import { jobRow } from '../../../shared/store/rows.ts';
import { saveProgress } from '../../../shared/store/save-progress.ts';
import { suspend } from '../../../shared/store/suspend.ts';
import { aimAt, faultyTables } from '../../support/faulty-tables.ts';
import { NOON, readyJob } from '../job/sample-job.ts';

const HOUR = 3_600_000;
const job = readyJob({ lockOwner: 'run/mine', lockExpiresAt: NOON + HOUR, rev: 7, starts: 3, failures: 1, dispatches: 4 });
const key = { id: job.id };
const error = { name: 'Error', message: 'no', at: NOON };

interface Move {
  readonly verb: string;
  readonly to: TableName;
  readonly changed: Readonly<Record<string, unknown>>;
  readonly move: (tables: Tables, job: LeasedJob) => Promise<{ readonly result: string }>;
}

const MOVES: readonly Move[] = [
  {
    verb: 'is parked',
    to: 'timers',
    changed: { starts: 2 },
    move: async (tables, held) => park(tables, held, { limit: { hash: 'h', name: 'l', n: 1 }, now: NOON }),
  },
  {
    verb: 'is suspended',
    to: 'suspended',
    changed: { starts: 2, from: 'jobs', cause: 'c' },
    move: async (tables, held) => suspend(tables, held, { cause: 'c', now: NOON }),
  },
  {
    verb: 'waits for its next try',
    to: 'timers',
    changed: { starts: 3, failures: 2, dueAt: '2026-01-01T13:00:00.000Z' },
    move: async (tables, held) => runAgainLater(tables, held, { dueAt: NOON + HOUR, counts: 'failures', error }),
  },
  {
    verb: 'waits for its first snooze, which is no attempt of its own',
    to: 'timers',
    changed: { starts: 2, snoozes: 1 },
    move: async (tables, held) => runAgainLater(tables, held, { dueAt: NOON + HOUR, counts: 'snoozes', sameAttempt: true }),
  },
  {
    verb: 'is buried by whoever saw its lease',
    to: 'deadLetters',
    changed: { starts: 3, reason: 'crash-loop' },
    move: async (tables, held) => bury(tables, held, { reason: 'crash-loop', error }),
  },
  {
    verb: 'is buried by its owner',
    to: 'deadLetters',
    changed: { starts: 3, reason: 'non-retryable' },
    move: async (tables, held) => bury(tables, held, { reason: 'non-retryable', error, by: 'owner' }),
  },
];

async function held() {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  await tables.write({ op: 'put', table: 'jobs', row: jobRow(job) });
  return { tables, faulty: faultyTables(tables) };
}

describe.each(MOVES)('a job that $verb', ({ to, changed, move }) => {
  it('lies there alone, with its counts gone on', async () => {
    const { tables } = await held();
    await move(tables, job);
    expect(tables.rows('jobs')).toEqual([]);
    expect(tables.rows(to)).toMatchObject([{ id: job.id, rev: 8, dispatches: 4, ...changed }]);
    expect(tables.rows(to)[0]).not.toHaveProperty('lockOwner');
  });

  it('takes along what was edited meanwhile', async () => {
    const { tables, faulty } = await held();
    const edit = { op: 'update', table: 'jobs', key, set: { priority: 9 }, add: { rev: 1 } } as const;
    faulty.before(aimAt('delete', 'jobs'), async () => tables.write(edit));
    await move(faulty.tables, job);
    expect(tables.rows(to)).toMatchObject([{ id: job.id, rev: 9, priority: 9, ...changed }]);
  });

  it('stays where it is when the lease is another’s, whatever else stayed the same', async () => {
    const { tables, faulty } = await held();
    faulty.before(aimAt('delete', 'jobs'), async () => tables.write({ op: 'update', table: 'jobs', key, set: { lockOwner: 'run/other' } }));
    expect(await move(faulty.tables, job)).toEqual({ result: 'lost' });
    expect(tables.rows('jobs')).toMatchObject([{ id: job.id, lockOwner: 'run/other' }]);
    expect(tables.rows(to)).toEqual([]);
  });
});

it('the progress of a run is not written where the lease is another’s', async () => {
  const { tables } = await held();
  await tables.write({ op: 'update', table: 'jobs', key, set: { lockOwner: 'run/other' } });
  expect(await saveProgress(tables, job, { progress: 50 })).toBeUndefined();
  expect(tables.rows('jobs')[0]).not.toHaveProperty('progress');
  expect(await saveProgress(tables, { ...job, lockOwner: 'run/other' }, { progress: 50 })).toMatchObject({ progress: 50, rev: 8 });
});
