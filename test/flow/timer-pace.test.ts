import { expect, it } from 'vitest';
import { acquireShard, type ShardResult } from '../../functions/acquirer/acquire-shard.ts';
import { jobIdFrom, shardOf } from '../../shared/job/job-id.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { firstPlanned } from '../../shared/features/schedules/model/schedule.ts';
import { rowBytes } from '../../shared/adapters/memory/row-size.ts';
import type { Row, Tables } from '../../shared/ports/tables.ts';
import { timerKey } from '../../shared/store/rows.ts';
import { putSchedule } from '../../shared/features/schedules/store/schedules.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { ON_DYNAMO } from '../support/rig-tables.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const KEY_UNITS = 1_000;
const SHARD = '07';
const work = defineJob('work', { payload: anyPayload });

/** Timers of one shard that are all due in an hour, as the client writes them. */
async function fillShard(rig: Rig, count: number, payload: Record<string, unknown> = {}): Promise<void> {
  const dueAt = rig.clock.now() + HOUR;
  const { id: first } = await rig.client.enqueue(work, payload, { runAt: dueAt });
  const model = await rig.tables.get('timers', timerKey(first));
  const rows: Row[] = [];
  for (let n = 0; rows.length < count; n++) {
    const id = jobIdFrom(dueAt, String(n));
    if (shardOf(id) === SHARD) rows.push({ ...model, id, ...timerKey(id) });
  }
  await rig.tables.putAll('timers', rows);
}

/** A tick, and the write units that its transactions take of the shard in each second since it began. */
async function tick(rig: Rig, runMs: number): Promise<{ readonly result: ShardResult; readonly bySecond: readonly number[] }> {
  const unitsOf = new Map((await rig.rows('timers')).map((row) => [row['due'], 2 * Math.ceil(rowBytes(row) / 1_024)]));
  const now = rig.clock.now();
  const bySecond = new Map<number, number>();
  const tables: Tables = {
    ...rig.deps.tables,
    transact: async (writes, token, terms) => {
      const second = Math.floor((rig.clock.now() - now) / SECOND);
      const gone = writes.flatMap((write) => (write.op === 'delete' && write.table === 'timers' ? write.key['due'] : []));
      bySecond.set(
        second,
        gone.reduce((sum, due) => sum + (unitsOf.get(due) ?? 0), bySecond.get(second) ?? 0),
      );
      return rig.deps.tables.transact(writes, token, terms);
    },
  };
  const run = { stopAt: now + runMs, lockUntil: now + 2 * runMs };
  const result = await rig.until(acquireShard({ ...rig.deps, tables }, SHARD, run));
  return { result, bySecond: [...bySecond.values()] };
}

const sum = (of: readonly number[]): number => of.reduce((all, one) => all + one, 0);

it.skipIf(ON_DYNAMO)('a shard that is full of timers of one second is fired at the pace that its partition key takes', async () => {
  const rig = new Rig();
  await fillShard(rig, 1_000);
  await rig.clock.advance(HOUR);
  const { result, bySecond } = await tick(rig, 60 * SECOND);
  expect(result).toMatchObject({ fired: 1_000, complete: true });
  expect(sum(bySecond)).toBe(2_000);
  expect(Math.max(...bySecond)).toBeLessThan(KEY_UNITS);
  expect(bySecond).toHaveLength(3);
});

it.skipIf(ON_DYNAMO)(
  'timers of just under a kilobyte are fired at the pace of small ones, though their rows in Jobs are larger',
  async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, { text: '' }, { delay: HOUR });
    const rest = rowBytes((await rig.tables.get('timers', timerKey(id))) ?? {});
    await fillShard(rig, 400, { text: 'x'.repeat(1_024 - rest) });
    await rig.clock.advance(HOUR);
    const { result, bySecond } = await tick(rig, 60 * SECOND);
    expect(result).toMatchObject({ fired: 400, complete: true });
    expect(bySecond).toEqual([800]);
  },
);

it.skipIf(ON_DYNAMO)('large timers are fired at the pace that their own rows take, those of schedules as well', async () => {
  const payload = { text: 'x'.repeat(8_100) };
  const plain = new Rig();
  await fillShard(plain, 80, payload);
  const recurring = new Rig();
  const nightly = (n: number) => defineSchedule(`nightly-${n}`, { job: work, payload, cron: '0 2 * * *' });
  const terms = { now: recurring.clock.now(), clock: recurring.clock, token: 't', lanesOf: () => undefined };
  for (let n = 0, put = 0; put < 80; n++) {
    if (shardOf(firstPlanned(nightly(n), terms.now)?.id ?? '') !== SHARD) continue;
    await putSchedule(recurring.tables, nightly(n), 'operator', terms);
    put++;
  }
  for (const rig of [plain, recurring]) {
    await rig.clock.advance(2 * HOUR);
    const { result, bySecond } = await tick(rig, 60 * SECOND);
    expect(result).toMatchObject({ fired: 80, complete: true });
    expect(sum(bySecond)).toBe(80 * 18);
    expect(Math.max(...bySecond)).toBeLessThan(KEY_UNITS);
  }
});

it.skipIf(ON_DYNAMO)('a tick that must stop before the pace lets it finish leaves the rest to the next one', async () => {
  const rig = new Rig();
  await fillShard(rig, 1_000);
  await rig.clock.advance(HOUR);
  const { result: first } = await tick(rig, 2 * SECOND - 1);
  expect(first).toMatchObject({ complete: false });
  expect(first.fired).toBeLessThan(1_000);
  await rig.clock.advance(SECOND);
  const { result: second } = await tick(rig, 60 * SECOND);
  expect(second).toMatchObject({ complete: true });
  expect(first.fired + second.fired).toBe(1_000);
  expect((await rig.counts()).jobs).toBe(1_000);
});
