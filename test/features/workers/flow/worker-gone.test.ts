import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import type { WorkerQueues } from '../../../../shared/config/environment.ts';
import { defineJob, defineSchedule, InvalidInputError } from '../../../../shared/index.ts';
import { rigTables } from '../../../support/rig-tables.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const work = defineJob('work', { payload: anyPayload, worker: 'old' });
const queuesOf = (name: string): WorkerQueues => ({ lanes: { default: `queue/${name}` } });

/** A deployment with the worker of the jobs, and the one after it was removed. */
function removed() {
  const clock = new SettableClock();
  const tables = rigTables(clock);
  const ran: string[] = [];
  const deploy = (...names: readonly string[]): Rig =>
    new Rig({
      clock,
      tables,
      workers: Object.fromEntries(names.map((name) => [name, queuesOf(name)])),
      handlers: [work.handle(({ payload }) => void ran.push(String(payload['n'])))],
    });
  const [before, after] = [deploy('old', 'default'), deploy('default')];
  return { clock, ran, before, after, earlier: createAdminOver(before.deps), admin: createAdminOver(after.deps) };
}

const HELD = {
  ready: async () => undefined,
  suspended: async (stage: ReturnType<typeof removed>, id: string) => stage.earlier.breakpoint(id, { reason: 'test' }),
  dead: async (stage: ReturnType<typeof removed>, id: string) => stage.earlier.bury(id, { reason: 'test' }),
} as const;

describe('a job whose worker was removed', () => {
  it.each([
    ['runNow', 'ready'],
    ['runNow', 'suspended'],
    ['resumeJob', 'suspended'],
    ['redrive', 'dead'],
  ] as const)(
    'is not said to run by %s of a %s one: nothing is written, and after a move to a worker that is there it runs',
    async (verb, state) => {
      const stage = removed();
      const { id } = await stage.before.client.enqueue(work, { n: 'one' });
      await HELD[state](stage, id);
      const rows = async (): Promise<unknown> =>
        Promise.all([stage.after.rows('jobs'), stage.after.rows('suspended'), stage.after.rows('deadLetters')]);
      const seen = await rows();
      expect(await stage.admin[verb](id)).toBe('worker-gone');
      expect(await rows()).toEqual(seen);
      expect(await stage.admin.move(id, { worker: 'default' })).toBe('moved');
      if (state !== 'ready') expect(await stage.admin[verb](id)).not.toBe('worker-gone');
      await stage.after.drain();
      expect(stage.ran).toEqual(['one']);
    },
  );

  it('is counted as left alone by a bulk action', async () => {
    const stage = removed();
    const { id } = await stage.before.client.enqueue(work, { n: 'one' });
    await stage.earlier.bury(id, { reason: 'test' });
    const bulk = await stage.admin.bulk({ verb: 'redrive' }, { type: 'work' }, { reason: 'test' });
    expect(bulk).toMatchObject({ done: 0, leftAlone: { 'worker-gone': 1 } });
  });

  it('is not made by a schedule that an operator runs now', async () => {
    const stage = removed();
    await stage.earlier.schedules.put(defineSchedule('nightly', { job: work, payload: { n: 'one' }, cron: '0 2 * * *' }));
    await expect(stage.admin.schedules.runNow('nightly')).rejects.toThrow(InvalidInputError);
    await expect(stage.admin.schedules.runNow('nightly')).rejects.toThrow(/worker.*old.*This deployment has: default/s);
    expect(await stage.after.rows('jobs')).toEqual([]);
    expect(await stage.earlier.schedules.runNow('nightly')).toBeTypeOf('string');
  });

  it.each([{}, { apply: true }])('is not made by a backfill with %j', async (options) => {
    const stage = removed();
    await stage.earlier.schedules.put(defineSchedule('nightly', { job: work, payload: { n: 'one' }, cron: '* * * * *' }));
    const now = stage.after.clock.now();
    const backfilled = stage.admin.schedules.backfill('nightly', { from: now - 600_000, to: now, ...options });
    await expect(backfilled).rejects.toThrow(/worker.*old.*This deployment has: default/s);
    expect(await stage.after.rows('jobs')).toEqual([]);
  });
});
