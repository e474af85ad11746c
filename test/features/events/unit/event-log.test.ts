import { describe, expect, it, vi } from 'vitest';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { eventLogSink, readEvents } from '../../../../shared/features/events/store/event-log.ts';
import { idOf } from '../../../support/job-rows.ts';
import { NOON } from '../../../unit/job/sample-job.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const job = { id: idOf(1), type: 't', worker: 'w', attempt: 1 };
const event = (id: string, at = NOON) => ({ id, event: 'completed', at, job, reason: 'r', runMs: 7 }) as const;
const iso = (at: number): string => new Date(at).toISOString();

async function log(...events: readonly ReturnType<typeof event>[]) {
  const clock = new SettableClock(NOON);
  const tables = createMemoryTables({ clock });
  const putAll = vi.spyOn(tables, 'putAll');
  await eventLogSink({ tables, clock, days: 3 }).put(events);
  return { tables, putAll };
}

describe('the event log', () => {
  it('writes nothing later than five seconds after it began, and shows nothing that is younger than fifteen', async () => {
    const { tables, putAll } = await log(event('a'));
    expect(putAll.mock.lastCall?.[2]).toEqual({ notAfter: NOON + 5 * SECOND });
    expect((await readEvents(tables, iso(NOON - HOUR), 10, NOON + 15 * SECOND - 1)).events).toEqual([]);
    expect((await readEvents(tables, iso(NOON - HOUR), 10, NOON + 15 * SECOND)).events).toEqual([event('a')]);
  });

  it('gives each event once, a page behind the other, as it was', async () => {
    const { tables } = await log(event('a', NOON - 5), event('b'), event('c'));
    const [now, begin] = [NOON + HOUR, iso(NOON - HOUR)];
    const first = await readEvents(tables, begin, 2, now);
    expect(first).toMatchObject({ events: [event('a', NOON - 5), event('b')], upToDate: false });
    const second = await readEvents(tables, first.after, 2, now);
    expect(second).toMatchObject({ events: [event('c')], upToDate: true });
    expect(await readEvents(tables, second.after, 2, now)).toEqual({ events: [], after: second.after, upToDate: true });
  });

  it('passes a day without events in one read, and no more', async () => {
    const { tables } = await log();
    const page = await readEvents(tables, iso(NOON - 72 * HOUR), 10, NOON);
    expect(page).toEqual({ events: [], after: iso(NOON - 48 * HOUR), upToDate: false });
  });

  it('has a place to go on from also for who is ahead of it', async () => {
    const { tables } = await log(event('a'));
    expect(await readEvents(tables, iso(NOON + HOUR), 10, NOON)).toEqual({ events: [], after: iso(NOON + HOUR), upToDate: true });
  });

  it('reads a resumed job also where an earlier version wrote `activated`', async () => {
    const { tables } = await log(event('a'));
    const [row] = tables.rows('history');
    await tables.write({ op: 'put', table: 'history', row: { ...row, event: 'activated' } });
    expect((await readEvents(tables, iso(NOON - HOUR), 10, NOON + HOUR)).events.map((read) => read.event)).toEqual(['resumed']);
  });

  it.each([
    ['at', 'never'],
    ['event', 'exploded'],
    ['jobId', 7],
  ])('passes over an event of which the %s is damaged', async (name, value) => {
    const { tables } = await log(event('a'), event('b'));
    const [row] = tables.rows('history');
    await tables.write({ op: 'put', table: 'history', row: { ...row, [name]: value } });
    expect((await readEvents(tables, iso(NOON - HOUR), 10, NOON + HOUR)).events.map(({ id }) => id)).toEqual(['b']);
  });
});
