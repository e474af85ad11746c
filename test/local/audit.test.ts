import { expect, test } from 'vitest';
import { type Audit, groupOverlaps, isClean, type JobPlaces, judge } from '../../local/shop/audit.ts';
import { type ExpectedEnding, Ledger, type Run } from '../../local/shop/ledger.ts';
import type { JournalEvent } from '../../shared/ports/journal.ts';

interface Seen {
  readonly ending?: ExpectedEnding;
  readonly events?: readonly JournalEvent[];
  readonly cancelAnswered?: boolean;
  readonly rowIn?: 'unsettled' | 'dead';
  readonly outcome?: 'completed' | 'cancelled';
  readonly withoutEffect?: boolean;
  readonly run?: Partial<Run>;
}

/** The audit of one job of which this was seen. */
function auditOf({ ending = 'completed', events = [], cancelAnswered, rowIn, outcome, withoutEffect, run }: Seen): Audit {
  const ledger = new Ledger();
  ledger.expect('id', 'invoice.render', ending);
  for (const event of events) {
    ledger.journal(undefined).record({ event, job: { id: 'id', type: 'invoice.render', worker: 'default', attempt: 1 } });
  }
  if (cancelAnswered === true) ledger.cancelled.add('id');
  if (run !== undefined)
    ledger.runs.push({ id: 'id', type: 'invoice.render', attempt: 1, dueAt: 1_000, startedAt: 1_000, endedAt: 1_001, ...run });
  const places: JobPlaces = {
    unsettled: new Set(rowIn === 'unsettled' ? ['id'] : []),
    dead: new Set(rowIn === 'dead' ? ['id'] : []),
    outcomes: new Map(outcome === undefined ? [] : [['id', outcome]]),
  };
  return judge(ledger, places, () => withoutEffect !== true);
}

test.each<[string, Seen, Partial<Audit>]>([
  ['completed by its journal', { events: ['completed'], run: {} }, { completed: 1 }],
  ['completed by its journal and by History', { events: ['completed'], outcome: 'completed' }, { completed: 1 }],
  ['completed by History alone', { outcome: 'completed' }, { completed: 1 }],
  ['a dead letter on purpose', { ending: 'dead', rowIn: 'dead' }, { deadLettered: 1 }],
  ['cancelled before it ran', { ending: 'cancelled', cancelAnswered: true, outcome: 'cancelled' }, { cancelled: 1 }],
  ['cancelled while it ran', { ending: 'completed or cancelled', events: ['cancelled'] }, { cancelled: 1 }],
  ['completed before its cancel was seen', { ending: 'completed or cancelled', events: ['completed'] }, { completed: 1 }],
])('a job %s is as it should be', (_, seen, counted) => {
  const audit = auditOf(seen);
  expect(audit).toMatchObject({ enqueued: 1, ...counted });
  expect(isClean(audit)).toBe(true);
});

test.each<[string, Seen, Partial<Audit>]>([
  ['is in no table and nobody saw it end', {}, { lost: 1 }],
  ['was completed twice', { events: ['completed', 'completed'] }, { completed: 1, doubleCompleted: 1 }],
  ['was completed and is a dead letter', { events: ['completed'], rowIn: 'dead' }, { doubleCompleted: 1 }],
  ['was cancelled and completed', { ending: 'cancelled', cancelAnswered: true, events: ['completed'] }, { doubleCompleted: 1 }],
  ['was completed and came back', { events: ['completed'], rowIn: 'unsettled' }, { doubleCompleted: 1, unsettled: 1 }],
  ['still waits', { rowIn: 'unsettled' }, { unsettled: 1, lost: 0 }],
  ['is a dead letter by mistake', { rowIn: 'dead' }, { deadLettered: 1 }],
  ['was completed though it should be a dead letter', { ending: 'dead', events: ['completed'] }, { completed: 1 }],
  ['completed without its effect', { events: ['completed'], withoutEffect: true }, { missingEffects: 1 }],
  ['began a millisecond early', { events: ['completed'], run: { startedAt: 999 } }, { earlyTimers: 1 }],
])('a job that %s is found', (_, seen, counted) => {
  const audit = auditOf(seen);
  expect(audit).toMatchObject({ enqueued: 1, ...counted });
  expect(isClean(audit)).toBe(false);
});

test.each<[string, readonly (readonly [string, number, number | undefined])[], number]>([
  [
    'one after the other',
    [
      ['a', 0, 10],
      ['a', 10, 20],
    ],
    0,
  ],
  [
    'beside each other',
    [
      ['a', 0, 10],
      ['a', 9, 20],
    ],
    1,
  ],
  [
    'one within the other',
    [
      ['a', 0, 30],
      ['a', 5, 6],
      ['a', 10, 20],
    ],
    2,
  ],
  [
    'in different groups',
    [
      ['a', 0, 10],
      ['b', 5, 20],
    ],
    0,
  ],
  [
    'after one that never ended',
    [
      ['a', 0, undefined],
      ['a', 50, 60],
    ],
    1,
  ],
])('runs of a group %s overlap as often as they do', (_, spans, expected) => {
  const runs = spans.map(([group, startedAt, endedAt], n): Run => {
    const run = { id: String(n), type: 'x', attempt: 1, group, dueAt: 0, startedAt };
    return endedAt === undefined ? run : { ...run, endedAt };
  });
  expect(groupOverlaps(runs)).toBe(expected);
});
