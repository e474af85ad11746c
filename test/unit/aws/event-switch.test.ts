import { describe, expect, test } from 'vitest';
import { createEvents } from '../../../shared/lambda/connect-events.ts';
import type { EventSink } from '../../../shared/ports/event-sink.ts';
import { faultyRig } from '../../support/faulty-rig.ts';
import { Rig } from '../../support/rig.ts';

const SWITCH = { pk: 'rules', sk: 'events' };

/** A rig, and an event of it that is delivered to a sink; how many events that sink got. */
function events(rig: Rig) {
  let got = 0;
  const bus: EventSink = { name: 'bus', put: async (some) => ((got += some.length), 0) };
  const { tables, clock, deployment, deps } = rig;
  const { entropy, journal: plain } = deps;
  const { journal, flush } = createEvents()({ deployment, tables, journal: plain, clock, entropy, sinks: [bus] });
  const deliver = async (): Promise<number> => {
    journal.record({ event: 'enqueued', worker: 'default', job: { id: rig.client.newId(), type: 'work', worker: 'default', attempt: 0 } });
    await flush();
    return got;
  };
  const turn = async (bus: boolean) => rig.tables.write({ op: 'put', table: 'control', row: { ...SWITCH, bus } });
  return { deliver, turn };
}

describe('the switch of a sink', () => {
  test('is read again after five seconds, and not before', async () => {
    const rig = new Rig();
    const { deliver, turn } = events(rig);
    expect(await deliver()).toBe(1);
    await turn(false);
    await rig.clock.advance(4_999);
    expect(await deliver()).toBe(2);
    await rig.clock.advance(1);
    expect(await deliver()).toBe(2);
  });

  test('stands as it last did while it cannot be read', async () => {
    const rig = faultyRig();
    const { deliver, turn } = events(rig);
    await turn(false);
    expect(await deliver()).toBe(0);
    rig.faults.unreadable((read) => read.op === 'query' && read.partition === 'rules');
    await rig.clock.advance(10_000);
    expect(await deliver()).toBe(0);
    expect(rig.faults.pending()).toBe(0);
  });

  test('is on where it was never read', async () => {
    const rig = faultyRig();
    rig.faults.unreadable(() => true);
    expect(await events(rig).deliver()).toBe(1);
  });
});
