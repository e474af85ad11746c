import { describe, expect, it } from 'vitest';
import { removeOldDeadLetters } from '../../../../functions/sweeper/duties/remove-old-dead-letters.ts';
import { errorGroupKey } from '../../../../shared/features/error-groups/store/error-group-rows.ts';
import { oldDeadLetters, sweepOver } from '../../../support/old-dead-letters.ts';

const DAY = 86_400_000;

describe('the removal of old dead letters', () => {
  it('leaves behind where the next run continues', async () => {
    const { admin, rig } = await oldDeadLetters();
    await admin.setRetention({ type: 'none' }, 30);
    const { tables } = rig;
    const starts: unknown[] = [];
    const dear: typeof tables = {
      ...tables,
      scan: async (scan) => {
        if (scan.table !== 'deadLetters') return tables.scan(scan);
        starts.push(scan.after?.['id']);
        return { ...(await tables.scan({ ...scan, limit: 1 })), readUnits: 250 };
      },
    };
    for (let run = 1; run <= 4; run++) await sweepOver(rig, { tables: dear });
    expect(new Set(starts).size).toBe(4);
  });

  it('tells the error groups of it even if where the run stopped cannot be written', async () => {
    const { rig, admin } = await oldDeadLetters();
    await admin.setRetention({ type: 'work' }, 30);
    const { tables } = rig;
    const refusing: typeof tables = {
      ...tables,
      write: async (write, window) => {
        if (write.op === 'put' && write.row['sk'] === 'retention') throw new Error('no answer');
        return tables.write(write, window);
      },
    };
    await sweepOver(rig, { tables: refusing });
    expect(rig.journal.entries.filter(({ reason }) => reason === 'retention')).toHaveLength(1);
    expect((await admin.errorGroups({ state: 'all', type: 'work' })).groups[0]).toMatchObject({ deleted: 1 });
  });

  it('reads an error group once for all of its dead letters, and tells how many it removed', async () => {
    const { rig, admin } = await oldDeadLetters({ deadLetterDays: 30 });
    const [group] = (await admin.errorGroups({ state: 'all', type: 'work' })).groups;
    await rig.clock.advance(40 * DAY);
    const { tables } = rig;
    const rows = await rig.rows('deadLetters');
    let [pages, reads] = [0, 0];
    const paged: typeof tables = {
      ...tables,
      scan: async () => ({ rows: rows.slice(pages, ++pages), readUnits: 1, ...(pages < rows.length ? { cursor: { id: 'a' } } : {}) }),
      get: async (table, key) => {
        if (key['sk'] === errorGroupKey(group?.fingerprint ?? '')['sk']) reads++;
        return tables.get(table, key);
      },
    };
    const deps = { ...rig.deps, backlog: rig.hints, tables: paged };
    expect(await removeOldDeadLetters(deps, rig.clock.now() + 60_000, { retentionRows: [] })).toBe(4);
    expect(reads).toBe(1);
  });
});
