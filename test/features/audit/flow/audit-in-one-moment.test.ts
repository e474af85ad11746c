import { expect, it } from 'vitest';
import type { Admin } from '../../../../operate/admin.ts';
import { defineSchedule } from '../../../../shared/features/schedules/model/definition.ts';
import { deadLetters, work } from '../../../support/dead-letters.ts';

const nothing = { state: 'dead', type: 'nothing' } as const;

const both = async <One>(all: readonly One[], act: (one: One) => Promise<unknown>): Promise<unknown> => Promise.all(all.map(act));
const types = [{ type: 'one' }, { type: 'two' }] as const;

it.each<[string, (admin: Admin, ids: readonly string[]) => Promise<unknown>, readonly string[]]>([
  [
    'a deployment that is switched twice',
    async (admin) => Promise.all([admin.switchDeployment('activate'), admin.switchDeployment('deactivate')]),
    ['deployment.activate', 'deployment.deactivate'],
  ],
  ['two dead letters that are deleted', async (admin, ids) => both(ids, async (id) => admin.delete(id)), ['delete', 'delete']],
  [
    'two jobs that are redriven and get a priority',
    async (admin, ids) => {
      await both(ids, async (id) => admin.redrive(id));
      await both(ids, async (id) => admin.setPriority(id, 3));
      expect(await admin.count({ state: 'ready' })).toMatchObject({ ready: 2 });
    },
    ['redrive', 'redrive', 'setPriority', 'setPriority'],
  ],
  [
    'two types that are suspended and resumed',
    async (admin) => {
      await both(types, async (type) => admin.suspend(type, { reason: 'look first' }));
      await both(types, async (type) => admin.resume(type));
      expect(await admin.suspensions()).toEqual([]);
    },
    ['resume', 'resume', 'suspend', 'suspend'],
  ],
  [
    'two schedules that are put and run',
    async (admin) => {
      const schedule = (name: string) => defineSchedule(name, { job: work, payload: {}, cron: '@daily' });
      await both(['a', 'b'], async (name) => admin.schedules.put(schedule(name)));
      await both(['a', 'b'], async (name) => admin.schedules.runNow(name));
      expect(await admin.count({ type: 'work' })).toMatchObject({ waiting: 2, ready: 2 });
    },
    ['schedules.put', 'schedules.put', 'schedules.runNow', 'schedules.runNow'],
  ],
  [
    'two bulk actions that begin and end',
    async (admin) => Promise.all([admin.bulk({ verb: 'delete' }, nothing), admin.bulk({ verb: 'redrive' }, nothing)]),
    ['bulk delete', 'bulk delete', 'bulk redrive', 'bulk redrive'],
  ],
  [
    'two bulk actions that are stopped and resumed',
    async (admin) => {
      const begin = async () => admin.bulk({ verb: 'delete' }, nothing, { signal: AbortSignal.abort() });
      const [one, two] = [await begin(), await begin()];
      await Promise.all([admin.resumeBulk(one.id ?? ''), admin.resumeBulk(two.id ?? '')]);
    },
    Array.from({ length: 8 }, () => 'bulk delete'),
  ],
])('the audit has an entry of each thing that was done in one moment: %s', async (_what, act, verbs) => {
  const { admin, ids } = await deadLetters(2);
  await act(admin, ids);
  expect((await admin.audit()).map(({ verb }) => verb).toSorted()).toEqual(verbs);
});
