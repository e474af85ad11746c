import { describe, expect, it } from 'vitest';
import { acquireUnlessOff } from '../../functions/acquirer/acquire-unless-off.ts';
import { sweepUnlessOff } from '../../functions/sweeper/sweep-unless-off.ts';
import { IDLE_TICK, JOB_COUNTS, METRICS } from '../../cli/cost/unit-counts.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { MetricSums } from '../../shared/adapters/observability/metric-sums.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';
import { unitMeter } from '../support/write-units.ts';

const TICK = { requestId: 'tick', deadlineAt: Number.MAX_SAFE_INTEGER } as const;
const type = defineJob('plain', { payload: anyPayload });

/** A rig that counts write units, and read units of reads that find next to nothing: one of a consistent read, half a one of the others. */
function open(options: RigOptions = {}) {
  const clock = new SettableClock();
  const meter = unitMeter(createMemoryTables({ clock }));
  let readUnits = 0;
  const tables: Tables = {
    ...meter.tables,
    get: async (table, key) => ((readUnits += 1), meter.tables.get(table, key)),
    query: async (query) => ((readUnits += query.consistent === true ? 1 : 0.5), meter.tables.query(query)),
    scan: async (scan) => ((readUnits += 0.5), meter.tables.scan(scan)),
  };
  const rig = new Rig({ history: 'off', ...options, clock, tables, handlers: [type.handle(() => undefined)] });
  const reset = (): void => {
    meter.reset();
    readUnits = 0;
    rig.journal.gauges.length = 0;
  };
  return { rig, clock, reset, units: () => ({ readUnits, writeUnits: meter.writes() }), metrics: () => metricsOf(rig) };
}

/** Metrics that were published, by worker and name: what CloudWatch charges one by one. */
function metricsOf({ journal }: Rig): readonly string[] {
  const sums = new MetricSums('worker', undefined);
  for (const entry of journal.entries) sums.add(entry);
  for (const gauge of journal.gauges) sums.gauge(gauge);
  return sums.take().flatMap(({ worker, metrics }) => metrics.map(({ name }) => `${worker} ${name}`));
}

describe('a tick that finds nothing to do costs what `nightcrew cost` computes with', () => {
  it('that of an acquirer', async () => {
    const { rig, reset, units, metrics } = open();
    reset();
    await acquireUnlessOff(rig.deps, { acquirer: 0, of: 1 }, TICK);
    const { shards, readUnitsPerShard, otherReadUnits, writeUnits } = IDLE_TICK.acquirer;
    expect(units()).toEqual({ readUnits: shards * readUnitsPerShard + otherReadUnits, writeUnits });
    expect(metrics()).toHaveLength(METRICS.acquirer);
    reset();
    await acquireUnlessOff(rig.deps, { acquirer: 1, of: 4 }, TICK);
    expect(units()).toEqual({ readUnits: (shards / 4) * readUnitsPerShard + otherReadUnits, writeUnits });
  });

  it('that of a sweeper', async () => {
    const { rig, reset, units, metrics } = open();
    // The first one finds no cursor.
    const tick = () => sweepUnlessOff({ ...rig.deps, backlog: rig.hints }, TICK);
    await tick();
    reset();
    await tick();
    expect(units()).toEqual(IDLE_TICK.sweeper);
    expect(metrics()).toHaveLength(METRICS.sweeper);
  });
});

describe('one job costs what `nightcrew cost` computes with', () => {
  it.each([
    ['off', JOB_COUNTS.plain],
    ['outcome', JOB_COUNTS.plainWithHistory],
    ['durable', JOB_COUNTS.plainWithDurableHistory],
  ] as const)('with history %s: %i write units', async (history, writeUnits) => {
    const { rig, units, metrics } = open({ history });
    await rig.client.enqueue(type, {});
    await rig.drain();
    expect(units().writeUnits).toBe(writeUnits);
    expect(metrics()).toHaveLength(METRICS.worker);
  });

  it('as a timer, with the lock of its shard and three metrics more', async () => {
    const { rig, clock, units, metrics } = open();
    await rig.client.enqueue(type, {}, { delay: 3_600_000 });
    await clock.advance(3_600_000);
    await rig.fire();
    rig.journal.gauges.length = 0;
    await rig.drain();
    expect(units().writeUnits).toBe(JOB_COUNTS.farTimer + IDLE_TICK.lockOfShard + IDLE_TICK.acquirer.writeUnits);
    expect(metrics()).toHaveLength(METRICS.worker + METRICS.timers);
  });
});
