import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEventBridgeSink } from '../../shared/adapters/eventbridge/event-bridge-sink.ts';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { makeJobId } from '../../shared/job/job-id.ts';
import type { EventSink, JobEvent } from '../../shared/ports/event-sink.ts';
import { eventLogSink, readEvents } from '../../shared/features/events/store/event-log.ts';
import { type FakeEventBridge, fakeEventBridge } from '../support/fake-event-bridge.ts';

const AT = Date.UTC(2026, 0, 1, 12);
let bridge: FakeEventBridge;
beforeEach(async () => void (bridge = await fakeEventBridge()));
afterEach(async () => bridge.close());

const events = (count: number): JobEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `event-${index}`,
    event: 'completed',
    at: AT + index,
    job: { id: makeJobId(AT, new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 0, index])), type: 'work', worker: 'default', attempt: 1 },
    runMs: index,
  }));

function busSink(): EventSink {
  const client = new EventBridgeClient({
    endpoint: bridge.endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  return createEventBridgeSink({ bus: 'jobs', deployment: 'shop', client });
}

const detailOf = (entry: { readonly Detail: string } | undefined): Record<string, unknown> =>
  JSON.parse(entry?.Detail ?? '{}') as Record<string, unknown>;

interface Subject {
  readonly sink: EventSink;
  /** Ids of the events that arrived. */
  readonly arrived: () => Promise<readonly string[]>;
}

const SUBJECTS: Readonly<Record<string, () => Subject>> = {
  'the event bus': () => ({
    sink: busSink(),
    arrived: async () => bridge.puts.flatMap(({ entries }) => entries.map((entry) => String(detailOf(entry)['id']))),
  }),
  'the event log': () => {
    const clock = new SettableClock(AT);
    const tables = createMemoryTables({ clock });
    return {
      sink: eventLogSink({ tables, clock, days: 3 }),
      arrived: async () => {
        const page = await readEvents(tables, new Date(AT).toISOString(), 1_000, AT + 60_000);
        return page.events.map(({ id }) => id);
      },
    };
  },
};

describe.each(Object.entries(SUBJECTS))('%s as a sink', (_, subject) => {
  it.each([0, 1, 10, 11, 25, 57])('takes %i events, each once', async (count) => {
    const { sink, arrived } = subject();
    expect(await sink.put(events(count))).toBe(0);
    expect((await arrived()).toSorted()).toEqual(
      events(count)
        .map(({ id }) => id)
        .toSorted(),
    );
  });
});

describe('the event bus', () => {
  it('gets at most ten events in one request', async () => {
    await busSink().put(events(25));
    expect(bridge.puts.map(({ entries }) => entries.length).toSorted((a, b) => b - a)).toEqual([10, 10, 5]);
    expect(new Set(bridge.puts.map(({ target }) => target))).toEqual(new Set(['AWSEvents.PutEvents']));
  });

  it('gets what a rule can match: source, name, tenant, times as ISO-8601, and no payload', async () => {
    const [event] = events(1);
    if (event === undefined) throw new Error('one was asked for');
    await busSink().put([{ ...event, job: { ...event.job, tenant: 'acme' }, reason: 'failed', errorName: 'TypeError' }]);
    const entry = bridge.puts[0]?.entries[0];
    expect(entry).toMatchObject({ EventBusName: 'jobs', Source: 'nightcrew', DetailType: 'completed' });
    expect(detailOf(entry)).toEqual({
      id: 'event-0',
      event: 'completed',
      at: '2026-01-01T12:00:00.000Z',
      job: { id: event.job.id, type: 'work', worker: 'default', attempt: 1, tenant: 'acme' },
      reason: 'failed',
      errorName: 'TypeError',
      runMs: 0,
      deployment: 'shop',
    });
  });

  it('is asked again for the events that it did not take, and only for them', async () => {
    bridge.answers.push({ refuse: [1, 3] }, { refuse: [0] });
    expect(await busSink().put(events(5))).toBe(0);
    expect(bridge.puts.map(({ entries }) => entries.map((entry) => detailOf(entry)['id']))).toEqual([
      ['event-0', 'event-1', 'event-2', 'event-3', 'event-4'],
      ['event-1', 'event-3'],
      ['event-1'],
    ]);
  });

  it('is asked again for the events of which its reply says nothing', async () => {
    bridge.answers.push({ names: 3 }, { names: 0 });
    expect(await busSink().put(events(5))).toBe(0);
    expect(bridge.puts.map(({ entries }) => entries.length)).toEqual([5, 2, 2]);
  });

  it('that never takes an event loses that one, after three requests', async () => {
    bridge.answers.push({ refuse: [0, 1] }, { refuse: [0] }, { refuse: [0] });
    expect(await busSink().put(events(2))).toBe(1);
    expect(bridge.puts).toHaveLength(3);
  });

  it('that fails a request loses its events, and the others arrive', async () => {
    bridge.answers.push({ status: 500 });
    const lost = await busSink().put(events(25));
    expect(lost).toBe(bridge.puts[0]?.entries.length);
    expect(bridge.puts).toHaveLength(3);
  });
});
