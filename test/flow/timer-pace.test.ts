import { expect, it } from 'vitest';
import { acquireShard, type ShardResult } from '../../functions/acquirer/acquire-shard.ts';
import { jobIdFrom, shardOf } from '../../shared/core/job-id.ts';
import { defineJob } from '../../shared/core/job-type.ts';
import type { Row, Tables } from '../../shared/ports/tables.ts';
import { timerKey } from '../../shared/store/rows.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const KEY_UNITS = 1_000;
const SHARD = '07';
const work = defineJob('work', { payload: anyPayload });

/** Timers of one shard that are all due in an hour, as the client writes them. */
async function fillShard(rig: Rig, count: number): Promise<void> {
  const dueAt = rig.clock.now() + HOUR;
  const { id: first } = await rig.client.enqueue(work, {}, { runAt: dueAt });
  const model = await rig.tables.get('timers', timerKey(first));
  const rows: Row[] = [];
  for (let n = 0; rows.length < count; n++) {
    const id = jobIdFrom(dueAt, String(n));
    if (shardOf(id) === SHARD) rows.push({ ...model, id, ...timerKey(id) });
  }
  await rig.tables.putAll('timers', rows);
}

function tick(rig: Rig, runMs: number, watch: (units: number) => void): Promise<ShardResult> {
  const tables: Tables = {
    ...rig.parts.tables,
    transact: async (writes, token, terms) => {
      watch(2 * writes.filter(({ op, table }) => op === 'delete' && table === 'timers').length);
      return rig.parts.tables.transact(writes, token, terms);
    },
  };
  const now = rig.clock.now();
  return rig.until(acquireShard({ ...rig.parts, tables }, SHARD, { stopAt: now + runMs, lockUntil: now + 2 * runMs }));
}

it('a shard that is full of timers of one second is fired at the pace that its partition key takes', async () => {
  const rig = new Rig();
  await fillShard(rig, 1_000);
  await rig.clock.advance(HOUR);
  const begun = rig.clock.now();
  const bySecond = new Map<number, number>();
  const result = await tick(rig, 60 * SECOND, (units) => {
    const second = Math.floor((rig.clock.now() - begun) / SECOND);
    bySecond.set(second, (bySecond.get(second) ?? 0) + units);
  });
  expect(result).toMatchObject({ fired: 1_000, complete: true });
  expect([...bySecond.values()].reduce((sum, units) => sum + units, 0)).toBe(2_000);
  expect(Math.max(...bySecond.values())).toBeLessThan(KEY_UNITS);
  expect(bySecond.size).toBe(3);
});

it('a tick that must stop before the pace lets it finish leaves the rest to the next one', async () => {
  const rig = new Rig();
  await fillShard(rig, 1_000);
  await rig.clock.advance(HOUR);
  const first = await tick(rig, 2 * SECOND - 1, () => {});
  expect(first).toMatchObject({ complete: false });
  expect(first.fired).toBeLessThan(1_000);
  await rig.clock.advance(SECOND);
  const second = await tick(rig, 60 * SECOND, () => {});
  expect(second).toMatchObject({ complete: true });
  expect(first.fired + second.fired).toBe(1_000);
  expect((await rig.counts()).jobs).toBe(1_000);
});
