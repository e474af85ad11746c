import { expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { BacklogFullError } from '../../../../shared/features/backlogs/model/backlog-full-error.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import type { Change } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { BacklogInvariants } from './backlog-invariants.ts';
import { Violations } from './violations.ts';

const MINUTE = 60_000;
const iso = (ms: number): string => new Date(ms).toISOString();

/** Two ready jobs of a type, and what is said of measurements and refusals of it. */
async function watched() {
  const rig = new Rig();
  const start = rig.clock.now();
  await rig.client.enqueueMany(defineJob('work', { payload: anyPayload }), [{}, {}]);
  const rows = await rig.rows('jobs');
  const violations = new Violations(() => start, []);
  const backlogs = new BacklogInvariants(violations);
  const see = (at: number, ...changes: readonly Change[]): void => backlogs.see({ by: {} as SimProcess, at, changes });
  const change = (at: number, before: Row | undefined, after: Row | undefined): void =>
    see(at, { table: 'jobs', key: { id: String((before ?? after)?.['id']) }, before, after });
  for (const row of rows) change(start, undefined, row);
  return {
    start,
    first: rows[0] ?? {},
    change,
    measure: (from: number, at: number, ready: number): void =>
      see(at, {
        table: 'control',
        key: { pk: 'backlog', sk: 'work' },
        before: undefined,
        after: { ready, measuredFrom: iso(from), measuredAt: iso(at) },
      }),
    refuse: (measured: number, from: number): void =>
      backlogs.refused(
        new BacklogFullError({ type: 'work', maxBacklog: 9, measured, measuredAt: new Date(from), enqueuedSince: 3, adding: 5 }),
      ),
    said: () => violations.list.map(({ rule, what }) => `${rule}: ${what}`),
  };
}

it('a measurement may have the jobs that left during its pass, and none that left before it', async () => {
  const { start, first, change, measure, said } = await watched();
  change(start + MINUTE, first, undefined);
  measure(start + MINUTE - 1, start + MINUTE + 1, 2);
  measure(start + MINUTE - 1, start + MINUTE + 1, 1);
  expect(said()).toEqual([]);
  measure(start + MINUTE - 1, start + MINUTE + 1, 0);
  measure(start + 2 * MINUTE, start + 2 * MINUTE, 2);
  expect(said()).toEqual([
    'backlog-true: work: 0 were counted, and 1 were ready all the time',
    'backlog-true: work: 2 were counted, and 1 were ready at any time of the pass',
  ]);
});

it('a measurement may miss a job that changed since, or whose lease has run out', async () => {
  const { start, first, change, measure, said } = await watched();
  change(start + MINUTE, first, { ...first, type: 'other' });
  measure(start + MINUTE, start + MINUTE, 1);
  measure(start + 60 * MINUTE, start + 60 * MINUTE, 0);
  expect(said()).toEqual([]);
});

it('a refusal needs a measurement that was written, and leaves no room', async () => {
  const { start, measure, refuse, said } = await watched();
  measure(start + MINUTE, start + MINUTE, 2);
  refuse(2, start + MINUTE);
  expect(said()).toEqual([]);
  refuse(1, start + MINUTE);
  expect(said()).toEqual([
    `backlog-true: work was refused by a measurement that nobody wrote: 1 at ${iso(start + MINUTE)}`,
    'backlog-true: work was refused although there was room: 1 and 3 of 9',
  ]);
});
