import { describe, expect, it, vi } from 'vitest';
import { openEventJournal } from '../../../shared/adapters/observability/event-journal.ts';
import { flushAfter } from '../../../shared/adapters/observability/flush-after.ts';
import { COUNTED } from '../../../shared/adapters/observability/names.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import type { EventSink, JobEvent, OnEvent } from '../../../shared/ports/event-sink.ts';
import type { JobRef, JournalEntry, JournalEvent } from '../../../shared/ports/journal.ts';

const job: JobRef = { id: 'job-1', type: 'invoice.send', worker: 'default', tenant: 'acme', attempt: 1 };

interface Stage {
  readonly sinks?: readonly EventSink[];
  readonly onEvent?: OnEvent;
  readonly enabled?: (sink: string) => Promise<boolean>;
}

function open({ sinks = [], ...more }: Stage) {
  const entries: JournalEntry[] = [];
  const journal = { record: (entry: JournalEntry) => void entries.push(entry), gauge: () => {}, flush: () => {} };
  const clock = new SettableClock();
  return { entries, clock, journal, events: openEventJournal({ journal, clock, entropy: seededEntropy(1), sinks, ...more }) };
}

/** A sink that remembers, one list for each time that something was put. */
function remembering(name = 'log', lost = 0) {
  const puts: JobEvent[][] = [];
  return { name, puts, put: async (events: readonly JobEvent[]) => (puts.push([...events]), lost) };
}

describe('an event journal', () => {
  it('makes an event of each entry that names a job, and passes every entry on', async () => {
    const sink = remembering();
    const { events, entries, clock } = open({ sinks: [sink] });
    events.journal.record({ event: 'started', worker: 'default', job, queueDelayMs: 7 });
    events.journal.record({ event: 'timers-fired', worker: 'default', job, timerLagMs: -3 });
    events.journal.record({ event: 'lost-claim', worker: 'default' });
    await events.flush();
    expect(entries.map(({ event }) => event)).toEqual(['started', 'timers-fired', 'lost-claim']);
    expect(sink.puts).toMatchObject([
      [
        { event: 'started', job, at: clock.now(), queueDelayMs: 7 },
        { event: 'fired', job, timerLagMs: -3 },
      ],
    ]);
    const ids = sink.puts.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });

  it('has a place for every entry: it is an event, or is about no single transition', () => {
    const apart = (Object.keys(COUNTED) as JournalEvent[]).filter((event) => {
      const onEvent = vi.fn();
      open({ onEvent }).events.journal.record({ event, job });
      return onEvent.mock.calls.length === 0;
    });
    expect(apart.toSorted()).toMatchInlineSnapshot(`
      [
        "ambiguous-resolved",
        "batches-refused",
        "events-lost",
        "failed",
        "history-lost",
        "hook-failed",
        "ignored-while-off",
        "lost-claim",
        "rerouted",
        "sandbox-ended",
        "send-failed",
        "store-failed",
        "unknown-rules",
        "unknown-settings",
        "unreadable-message",
      ]
    `);
  });

  it('makes one event for each of many jobs', async () => {
    const seen: string[] = [];
    const { events } = open({ onEvent: ({ job: { id } }) => seen.push(id) });
    events.journal.record({ event: 'enqueued', worker: 'default', jobs: [job, { ...job, id: 'job-2' }], count: 2 });
    expect(seen).toEqual(['job-1', 'job-2']);
  });

  it('never tells what may quote a payload: no message of an error, no reason that is a sentence', async () => {
    const sink = remembering();
    const { events } = open({ sinks: [sink] });
    const error = { name: 'TypeError', message: 'card 4111', stack: 'card 4111', at: 1 };
    events.journal.record({ event: 'dead-lettered', job, error, reason: 'failed' });
    events.journal.record({ event: 'suspended', job, reason: 'because card 4111 was refused' });
    await events.flush();
    expect(sink.puts.flat()).toMatchObject([{ errorName: 'TypeError', reason: 'failed' }, { event: 'suspended' }]);
    expect(JSON.stringify(sink.puts)).not.toContain('4111');
  });

  it('counts what a sink did not take, or threw at, and lets the others have theirs', async () => {
    const broken: EventSink = { name: 'broken', put: async () => Promise.reject(new Error('down')) };
    const [partial, whole] = [remembering('partial', 1), remembering('whole')];
    const { events, entries } = open({ sinks: [broken, partial, whole] });
    for (const event of ['started', 'completed'] as const) events.journal.record({ event, job });
    await events.flush();
    expect(whole.puts.flat()).toHaveLength(2);
    expect(entries.filter(({ event }) => event === 'events-lost')).toMatchObject([
      { reason: 'partial', count: 1 },
      { reason: 'broken', count: 2, error: { message: 'down' } },
    ]);
  });

  it('puts nothing into a sink that is switched off, and asks only when there is something to put', async () => {
    const [off, on] = [remembering('off'), remembering('on')];
    const enabled = vi.fn(async (sink: string) => sink === 'on');
    const { events } = open({ sinks: [off, on], enabled });
    await events.flush();
    expect(enabled).not.toHaveBeenCalled();
    events.journal.record({ event: 'started', job });
    await events.flush();
    await events.flush();
    expect([off.puts.length, on.puts.length, enabled.mock.calls.length]).toEqual([0, 1, 2]);
  });

  it('puts while work goes on, so that a large verb does not gather everything', async () => {
    const sink = remembering();
    const { events } = open({ sinks: [sink] });
    for (let count = 0; count < 1_200; count++) events.journal.record({ event: 'enqueued', job });
    await Promise.resolve();
    expect(sink.puts.map((put) => put.length)).toEqual([500, 500]);
    await events.flush();
    expect(sink.puts.map((put) => put.length)).toEqual([500, 500, 200]);
  });

  it('is the journal itself where there are no events', () => {
    const { events, journal } = open({});
    expect(events.journal).toBe(journal);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('listener');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('listener'))],
  ])('goes on when a listener %s, and counts it', async (_, onEvent) => {
    const { events, entries } = open({ onEvent });
    events.journal.record({ event: 'started', job });
    await events.flush();
    expect(entries).toMatchObject([{ event: 'started' }, { event: 'hook-failed', reason: 'onEvent' }]);
  });
});

describe('verbs that flush', () => {
  it('end when the events are delivered, also where they fail and where they give further verbs', async () => {
    const flush = vi.fn(async () => {});
    const verbs = flushAfter(
      {
        enqueue: async (id: string) => id,
        fail: async () => Promise.reject(new Error('no')),
        newId: () => 'fresh',
        prepare: () => ({ id: 'p', dispatch: async () => 'sent' }),
        schedules: { list: async () => [1] },
      },
      flush,
    );
    expect(await verbs.enqueue('a')).toBe('a');
    await expect(verbs.fail()).rejects.toThrow('no');
    expect(await verbs.prepare().dispatch()).toBe('sent');
    expect(await verbs.schedules.list()).toEqual([1]);
    expect(flush).toHaveBeenCalledTimes(4);
    expect(verbs.newId()).toBe('fresh');
    expect(flush).toHaveBeenCalledTimes(4);
  });
});
