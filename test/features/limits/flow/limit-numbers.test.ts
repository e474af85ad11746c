import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { defineLimit } from '../../../../shared/job/limit.ts';
import { putReport } from '../../../../shared/features/workers/store/worker-rows.ts';
import { Rig } from '../../../support/rig.ts';

function stage() {
  const rig = new Rig({ handlers: [] });
  return { rig, admin: createAdminOver(rig.deps) };
}

describe('an operator of limits', () => {
  it.each([
    ['sets the same number a moment earlier', 1, 5],
    ['sets another number in the same moment', 0, 6],
  ])('gets a conflict where another one %s', async (_, later, n) => {
    const { admin, rig } = stage();
    expect(await admin.setLimit('some', 5, { actor: 'anna' })).toBe('set');
    const get = rig.tables.get.bind(rig.tables);
    rig.tables.get = async (table, key) => {
      const row = await get(table, key);
      if (key['sk'] !== 'limit#some') return row;
      rig.tables.get = get;
      await rig.clock.advance(later);
      expect(await admin.setLimit('some', n, { actor: 'bert' })).toBe('set');
      return row;
    };
    expect(await admin.setLimit('some', 7)).toBe('conflict');
    expect((await admin.limitNumbers())[0]?.set).toMatchObject({ n, actor: 'bert' });
  });

  it.each([
    ['a', 1, 2, 1],
    ['b', 2, 1, 2],
  ])('sees the number of the code of the worker that reported last, %s', async (_, a, b, coded) => {
    const { admin, rig } = stage();
    const report = (worker: string, n: number, at: number) =>
      putReport(rig.tables, { worker, version: '1', kind: 'lambda', types: [], limits: [defineLimit('some', { concurrency: n })], at });
    const now = rig.clock.now();
    await report('a', 1, now - a);
    await report('b', 2, now - b);
    expect(await admin.limitNumbers()).toEqual([{ limit: 'some', n: coded, coded, workers: ['a', 'b'] }]);
  });
});
