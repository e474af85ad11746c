import { describe, expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { type AnyLimit, defineLimit } from '../../../../shared/job/limit.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

function stage(...limits: readonly (readonly AnyLimit[])[]) {
  const types = limits.map((of, index) => defineJob(`type-${index}`, { payload: anyPayload, limits: [...of] }));
  const rig = new Rig({ handlers: types.map((type) => type.handle(() => undefined)) });
  const begun = rig.clock.now();
  /** Enqueues a job and delivers it; after how long it is due then. */
  const due = async (index = 0): Promise<number> => {
    const { id } = await rig.client.enqueue(types[index] ?? types[0] ?? defineJob('none', { payload: anyPayload }), {});
    await rig.drain();
    return ((await rig.client.get(id))?.dueAt.getTime() ?? 0) - begun;
  };
  const booked = async (name: string): Promise<number> => {
    const row = (await rig.rows('control')).find(({ limit }) => limit === name);
    return Date.parse(String(row?.['lockExpiresAt'])) - begun;
  };
  return { rig, due, booked };
}

const rate = (name: string, per: string) => defineLimit(name, { rate: 1, per });

describe('a start that is booked', () => {
  it('comes a period and a moment after one that came late', async () => {
    const { rig, due } = stage([rate('r', 'PT1M')]);
    await due();
    expect(await due()).toBe(MINUTE + SECOND);
    await rig.clock.advance(80 * SECOND);
    await rig.drain();
    expect(rig.journal.count('started')).toBe(2);
    expect(await due()).toBe(80 * SECOND + MINUTE + SECOND);
  });

  it('is the same under each of several rates, whichever of them makes it wait longest', async () => {
    const [short, long, other] = [rate('a', 'PT20S'), rate('b', 'PT1M'), rate('c', 'PT30S')];
    const { due, booked } = stage([short, long, other]);
    await due();
    const at = await due();
    expect(at).toBe(MINUTE + SECOND);
    expect(await Promise.all(['a', 'b', 'c'].map(booked))).toEqual([at + 20 * SECOND, at + MINUTE, at + 30 * SECOND]);
  });

  it.each([
    ['under its only rate', [rate('z', 'PT1M')], MINUTE + SECOND],
    ['under the last of two rates', [rate('a', 'PT2M'), rate('z', 'PT1M')], 2 * MINUTE + SECOND],
  ])('is asked for again later when others are always faster %s', async (_, limits, at) => {
    const { rig, due } = stage(limits);
    await due();
    const write = rig.tables.write.bind(rig.tables);
    let refused = 0;
    rig.tables.write = async (one, window) => {
      if (one.op !== 'put' || one.row['limit'] !== 'z') return write(one, window);
      refused += 1;
      return { applied: false, attempts: 1, row: { ...one.row, owner: 'job/other', lockOwner: 'job/other' } };
    };
    expect(await due()).toBe(at);
    expect(refused).toBe(10);
    expect(rig.journal.count('started')).toBe(1);
  });
});
