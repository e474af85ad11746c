import { describe, expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import {
  checkScheduleDefinition,
  definitionHash,
  defineSchedule,
  type ScheduleOptions,
} from '../../../../shared/features/schedules/model/definition.ts';
import { occurrenceJob, planFiring, planned, type Schedule } from '../../../../shared/features/schedules/model/schedule.ts';
import { dueAtOf } from '../../../../shared/job/job-id.ts';
import { decodeSchedule, scheduleRow } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import * as z from 'zod/mini';

const HOUR = 3_600_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const job = defineJob('report', { payload: z.record(z.string(), z.unknown()) });

const definition = (options: Partial<ScheduleOptions<Record<string, unknown>>> = {}) =>
  defineSchedule('nightly', { job, payload: {}, cron: '0 * * * *', ...options });

function schedule(options: Partial<ScheduleOptions<Record<string, unknown>>> = {}, more: Partial<Schedule> = {}): Schedule {
  const counts = { rev: 1, runs: 0, missed: 0, skipped: 0 };
  const given = definition(options);
  return { definition: given, origin: 'code', hash: definitionHash(given), createdAt: START, anchor: START, ...counts, ...more };
}

const at = (hours: number) => planned(definition(), START + hours * HOUR);

describe('firing an occurrence', () => {
  it('goes on to the next one, whether it is fired ahead of its time or a little late', () => {
    for (const now of [START + HOUR - 300_000, START + HOUR + 59_000]) {
      expect(planFiring(schedule(), at(1), now)).toEqual({ run: true, missed: 0, next: at(2) });
    }
  });

  it('applies the missed policy when it is more than a minute late', () => {
    const now = START + 4.5 * HOUR;
    expect(planFiring(schedule({ missed: 'coalesce' }), at(1), now)).toEqual({ run: true, missed: 3, next: at(5) });
    expect(planFiring(schedule({ missed: 'skip' }), at(1), now)).toEqual({ run: false, missed: 4, next: at(5) });
    expect(planFiring(schedule({ missed: 'all' }), at(1), now)).toEqual({ run: true, missed: 0, next: at(2) });
  });

  it('leaves out with missed: skip only what is more than a minute late, so that one in time behind it runs', () => {
    for (const [now, missed, next] of [
      [START + 2 * HOUR + 20_000, 1, at(2)],
      [START + 2 * HOUR + 60_000, 1, at(2)],
      [START + 2 * HOUR + 60_001, 2, at(3)],
    ] as const) {
      expect(planFiring(schedule({ missed: 'skip' }), at(1), now)).toEqual({ run: false, missed, next });
    }
    const now = START + 2 * HOUR + 660_000;
    expect(planFiring(schedule({ missed: 'skip', jitter: 'PT10M' }), at(1), now)).toMatchObject({
      missed: 1,
      next: { nominal: START + 2 * HOUR },
    });
  });

  it('is the last when the runs are used up or until has come', () => {
    expect(planFiring(schedule({ maxRuns: 3 }, { runs: 2 }), at(1), START).next).toBeUndefined();
    expect(planFiring(schedule({ maxRuns: 3 }, { runs: 1 }), at(1), START).next).toEqual(at(2));
    expect(planFiring(schedule({ until: START + HOUR }), at(1), START).next).toBeUndefined();
  });
});

describe('an occurrence', () => {
  it('has an id that follows from name and time, and lies where its due time says', () => {
    expect(at(1)).toEqual(at(1));
    expect(new Set([at(1).id, at(2).id, planned({ ...definition(), name: 'other' }, START + HOUR).id]).size).toBe(3);
    expect(dueAtOf(at(1).id)).toBe(at(1).dueAt);
  });

  it('is later by a jitter that is the same each time and spread over its range', () => {
    const jittered = definition({ jitter: 'PT10M' });
    const delays = Array.from({ length: 200 }, (_, hour) => planned(jittered, START + hour * HOUR)).map((one) => one.dueAt - one.nominal);
    expect(delays).toEqual(
      Array.from({ length: 200 }, (_, hour) => planned(jittered, START + hour * HOUR)).map((one) => one.dueAt - one.nominal),
    );
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(600_000);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(500_000);
  });

  it('carries what its schedule says, and the group of the schedule where they queue up', () => {
    const given = definition({ tenant: 'acme', priority: 7, overlap: 'queue', retry: 'R5/PT1M' });
    expect(occurrenceJob(given, { ...at(1), rev: 4 }, START)).toMatchObject({
      type: 'report',
      tenant: 'acme',
      priority: 7,
      priorityFrom: 'option',
      group: 'schedule/nightly',
      retry: 'R5/PT1M',
      schedule: 'nightly',
      nominalAt: START + HOUR,
      dueAt: START + HOUR,
      kind: 'timer',
      rev: 5,
      dispatches: 4,
    });
  });
});

describe('a definition', () => {
  it('survives JSON, and has the same hash wherever it was made', () => {
    const given = definition({ from: new Date(START), jitter: 'PT5M', overlap: 'skip' });
    expect(checkScheduleDefinition(JSON.parse(JSON.stringify(given)))).toEqual(given);
    expect(definitionHash(JSON.parse(JSON.stringify(given)))).toBe(
      definitionHash(definition({ from: START, jitter: 300_000, overlap: 'skip' })),
    );
  });

  // The title does not show the options: tools that select tests by title choke on a text of 70,000 characters.
  it.each<[object, RegExp]>([
    [{ jitter: 'P2D' }, /jitter.*at most a day/],
    [{ maxRuns: 0 }, /maxRuns/],
    [{ overlap: 'wait' }, /overlap.*allow, skip, queue/],
    [{ missed: 'some' }, /missed.*coalesce, all, skip/],
    [{ overlap: 'queue', group: 'mine' }, /overlap.*group/],
    [{ group: 'x'.repeat(257) }, /group.*256/],
    [{ payload: { text: 'x'.repeat(70_000) } }, /payload/],
    [{ crom: '* * * * *' }, /crom/],
    [{ job: 'report' }, /defineJob/],
  ])('with an option that cannot be is refused, with the field and the fix (%#)', (options, fix) =>
    expect(() => definition(options)).toThrow(fix),
  );

  it('with a name that no row could have is refused', () =>
    expect(() => defineSchedule('nightly report', { job, payload: {}, cron: '@daily' })).toThrow(/name.*letters, digits/));
});

describe('the row of a schedule', () => {
  it('reads back to the same schedule', () => {
    for (const one of [
      schedule(),
      schedule({}, { next: at(3), lastNominal: START, runs: 5 }),
      schedule({}, { paused: { at: START, next: START + HOUR, reason: 'audit', actor: 'ann' } }),
    ]) {
      expect(decodeSchedule(scheduleRow(one))).toEqual(one);
    }
  });

  it.each(['definition', 'origin', 'rev', 'anchor', 'nextId', 'pausedAt'])('without a readable %s names it', (attribute) => {
    expect(() => decodeSchedule({ ...scheduleRow(schedule({}, { next: at(1) })), [attribute]: 'garbage' })).toThrow(new RegExp(attribute));
  });
});
