import { describe, expect, it } from 'vitest';
import { bookedHashes, bookedText, releasedText, wasReleased } from '../../../../shared/job/rate-bookings.ts';
import { freeSlots, nextStart, roomFor, type Slot, slotOwner, startSlots } from '../../../../shared/features/limits/model/slots.ts';

const NOW = 1_000_000;
const held = (index: number, until = NOW + 1, id = `j${index}`): Slot => ({ index, owner: slotOwner(id), until });
const rate = { hash: 'h', name: 'r', n: 2, perMs: 60_000 };

describe('slots of a concurrency limit', () => {
  it('are free when no job holds them, or when their lease has ended', () => {
    expect(freeSlots([held(0), held(1, NOW)], 3, NOW)).toEqual([1, 2]);
  });

  it('count beyond a number that was lowered, until their jobs end', () => {
    expect(freeSlots([held(4)], 2, NOW)).toEqual([0]);
    expect(freeSlots([held(3), held(4)], 2, NOW)).toEqual([]);
    expect(freeSlots([held(3, NOW), held(4, NOW)], 2, NOW)).toEqual([0, 1]);
    expect(freeSlots([held(2)], 2, NOW)).toEqual([0]);
    expect(freeSlots([held(2), held(3), held(4)], 2, NOW)).toEqual([]);
  });

  it('stay with a job that has one already, unless it expired beyond the number', () => {
    expect(roomFor({ id: 'j0' }, [held(0), held(1)], 2, NOW)).toMatchObject({ own: { index: 0 }, free: [] });
    expect(roomFor({ id: 'j1' }, [held(1, NOW - 1)], 2, NOW)).toMatchObject({ own: { index: 1 } });
    expect(roomFor({ id: 'j5' }, [held(5, NOW)], 2, NOW)).toEqual({ free: [0, 1] });
    expect(roomFor({ id: 'j5' }, [held(5)], 2, NOW)).toMatchObject({ own: { index: 5 }, free: [] });
  });
});

describe('a job whose turn has come', () => {
  it('takes the slot of one that is not claimed yet, when its own has ended; no other job does', () => {
    const slots = [{ ...held(0), claim: 'run/x' }, held(1)];
    expect(roomFor({ id: 'late', turn: true }, slots, 2, NOW)).toMatchObject({ own: { index: 1 } });
    expect(roomFor({ id: 'late' }, slots, 2, NOW)).toEqual({ free: [] });
    expect(roomFor({ id: 'late', turn: true }, [{ ...held(0), claim: 'run/x' }, held(5)], 1, NOW)).toEqual({ free: [] });
  });

  it('takes no slot of another while there is a free one, and none beyond the number', () => {
    expect(roomFor({ id: 'late', turn: true }, [held(0)], 2, NOW)).toEqual({ free: [1] });
    expect(roomFor({ id: 'late', turn: true }, [{ ...held(0), claim: 'run/x' }, held(1)], 1, NOW)).toEqual({ free: [] });
  });

  it('is known by its release, as long as it is due as it was, and keeps its bookings', () => {
    const text = releasedText(bookedText('T1', ['r']), 'T1', 'c');
    expect(wasReleased(text, 'T1', 'c')).toBe(true);
    expect([...bookedHashes(text, 'T1')]).toEqual(['r']);
    expect(wasReleased(text, 'T2', 'c')).toBe(false);
    expect(wasReleased(text, 'T1', 'd')).toBe(false);
    expect(wasReleased(releasedText(undefined, 'T1', 'c'), 'T1', 'c')).toBe(true);
    expect(wasReleased(undefined, 'T1', 'c')).toBe(false);
  });
});

describe('slots of a rate', () => {
  const started = (index: number, startedAt: number, until = startedAt + rate.perMs): Slot => ({ ...held(index, until), startedAt });

  it('give a start once in a period each', () => {
    expect(startSlots([started(0, NOW - 59_999), started(1, NOW - 60_000)], rate, NOW, false)).toEqual([1]);
  });

  it('may be booked again from the instant at which a booking ends', () => {
    expect(startSlots([held(0, NOW), held(1, NOW + 1)], rate, NOW, false)).toEqual([0]);
  });

  it('that are booked are for jobs with a booking', () => {
    const slots = [held(0, NOW + 100_000), held(1, NOW + 100_000)];
    expect(startSlots(slots, rate, NOW, false)).toEqual([]);
    expect(startSlots(slots, rate, NOW, true)).toEqual([0, 1]);
  });

  it('give no start while more than the lowered number started within a period', () => {
    expect(startSlots([started(2, NOW - 1), started(3, NOW - 1)], rate, NOW, true)).toEqual([]);
    expect(startSlots([started(2, NOW - 1)], rate, NOW, true)).toEqual([0]);
  });

  it('are booked one after the other, with a second to spare', () => {
    expect(nextStart([held(0, NOW + 10_000), held(1, NOW + 5_000)], rate, NOW, false)).toEqual({ index: 1, at: NOW + 6_000 });
  });

  it('are booked with less to spare where the period is short, and never for this instant', () => {
    const short = { ...rate, n: 1, perMs: 1_000 };
    expect(nextStart([held(0, NOW + 10_000)], short, NOW, false)).toEqual({ index: 0, at: NOW + 10_100 });
    expect(nextStart([], rate, NOW, false)).toEqual({ index: 0, at: NOW + 1 });
    expect(nextStart([started(0, NOW - 1_000, NOW)], short, NOW, true)).toEqual({ index: 0, at: NOW + 100 });
  });

  it('are booked a period after their last start, also when that start came later than it was booked', () => {
    expect(nextStart([started(0, NOW - 10_000, NOW)], { ...rate, n: 1 }, NOW, false)).toEqual({ index: 0, at: NOW + 50_000 });
  });

  it('have patience with a booking for two seconds, and for half a short period', () => {
    const waits = (perMs: number, ms: number): boolean =>
      nextStart([started(0, NOW - perMs + ms)], { ...rate, n: 1, perMs }, NOW, true).index === undefined;
    expect([waits(60_000, 2_000), waits(60_000, 2_001), waits(1_000, 500), waits(1_000, 501)]).toEqual([true, false, true, false]);
  });

  it('keep a booking that came a moment early, and no other', () => {
    const slots = (ms: number): Slot[] => [started(0, NOW - 60_000 + ms), started(1, NOW - 60_000 + ms)];
    expect(nextStart(slots(500), rate, NOW, true)).toEqual({ at: NOW + 500 });
    expect(nextStart(slots(500), rate, NOW, false)).toMatchObject({ index: 0 });
    expect(nextStart(slots(30_000), rate, NOW, true)).toMatchObject({ index: 0 });
    const oneSoon = [started(0, NOW), started(1, NOW - 59_500)];
    expect(nextStart(oneSoon, rate, NOW, true)).toEqual({ at: NOW + 500 });
  });
});

describe('a booking', () => {
  it('is good at the instant at which its job is due, and at no other', () => {
    const text = bookedText('2026-01-01T00:00:00.000Z', ['a', 'b']);
    expect([...bookedHashes(text, '2026-01-01T00:00:00.000Z')]).toEqual(['a', 'b']);
    expect([...bookedHashes(text, '2026-01-01T00:00:01.000Z')]).toEqual([]);
    expect([...bookedHashes(undefined, '2026-01-01T00:00:01.000Z')]).toEqual([]);
  });
});
