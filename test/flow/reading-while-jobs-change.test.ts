import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import type { ListOptions } from '../../operate/jobs/job-filter.ts';
import { keyOf, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import { Rig } from '../support/rig.ts';
import { strewJobs } from '../support/strewn-jobs.ts';

describe('while jobs change', () => {
  it.each<readonly [string, ListOptions, 'deadLetters' | 'suspended' | 'timers']>([
    ['an index', { state: 'dead', type: ['mail', 'report'] }, 'deadLetters'],
    ['another index', { cause: 'type#mail' }, 'suspended'],
    ['due times', { state: 'waiting' }, 'timers'],
    ['a scan', { state: 'dead' }, 'deadLetters'],
  ])('those that stay are met exactly once by %s, although others go', async (how, filter, table) => {
    const changing = new Rig();
    await strewJobs(changing.tables, changing.clock.now(), 210);
    const reader = createAdminOver(changing.deps);
    const matching = (await reader.list({ ...filter, limit: 1_000 })).jobs.map(({ id }) => id);
    const keys = new Map((await changing.rows(table)).map((row) => [String(row['id']), keyOf(TABLE_SPECS[table], row)]));
    const leaving = new Set(matching.filter((_, n) => n % 3 === 1));
    const met: string[] = [];
    let after: string | undefined;
    do {
      const page = await reader.list({ ...filter, limit: 2, ...(after === undefined ? {} : { after }) });
      met.push(...page.jobs.map(({ id }) => id));
      after = page.next;
      // The row behind which the next page begins goes, and one that is still ahead; an emulator's scan cannot go on from a row that is gone.
      const ahead = how === 'a scan' ? undefined : matching.find((one) => leaving.has(one) && !met.includes(one));
      for (const id of [page.jobs.at(-1)?.id ?? '', ahead ?? '']) {
        if (leaving.has(id)) await changing.tables.write({ op: 'delete', table, key: keys.get(id) ?? {} });
      }
    } while (after !== undefined);
    expect(met.filter((id) => !leaving.has(id))).toEqual(matching.filter((id) => !leaving.has(id)));
    expect(new Set(met).size).toBe(met.length);
  });

  it('a row that cannot be read is listed, counted and shown with what can be read of it', async () => {
    const damaged = new Rig();
    await strewJobs(damaged.tables, damaged.clock.now(), 14);
    const id = String((await damaged.rows('jobs'))[0]?.['id']);
    await damaged.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { dueAt: 'soon', attempts: 1, priority: 'high' } });
    const reader = createAdminOver(damaged.deps);
    expect((await reader.list({ state: ['ready', 'running'] })).jobs.map((job) => job.id)).toContain(id);
    expect(await reader.count()).toMatchObject({ total: 12 });
    const view = await reader.find(id);
    expect(view).toMatchObject({ id, priority: 0, raw: expect.stringContaining('"soon"') });
    expect(Number.isNaN(view?.dueAt.getTime())).toBe(false);
  });
});
