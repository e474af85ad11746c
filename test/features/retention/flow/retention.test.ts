import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import type { TableName } from '../../../../shared/ports/tables.ts';
import { createAdminOver } from '../../../../operate/admin.ts';
import { sweepOver, type OldStage, oldDeadLetters, sweepAgain } from '../../../support/old-dead-letters.ts';
import { brokenStage, work } from '../../../support/dead-letters.ts';

const DAY = 86_400_000;
const told = { actor: 'anna', reason: 'ticket 4711' };

const idsOf = async ({ rig }: OldStage): Promise<readonly string[]> =>
  (await rig.rows('deadLetters')).map(({ id }) => String(id)).toSorted();

describe('dead letters without a rule', () => {
  it('are kept for ever, and the sweeper reads nothing for them', async () => {
    const stage = await oldDeadLetters();
    const read: string[] = [];
    const note = (what: string, table: TableName, of = ''): void => void read.push(`${what} ${table} ${of}`.trim());
    const { tables } = stage.rig;
    const noting: typeof tables = {
      ...tables,
      get: async (table, key) => (note('get', table, key['sk'] ?? ''), tables.get(table, key)),
      scan: async (scan) => (note('scan', scan.table), tables.scan(scan)),
    };
    await sweepOver(stage.rig, { tables: noting });
    expect(read.filter((one) => /deadLetters|retention/.test(one))).toEqual([]);
    expect(await idsOf(stage)).toHaveLength(4);
    expect(await stage.admin.retention()).toEqual([]);
  });
});

describe('a rule of retention', () => {
  it('removes the dead letters of its type that are older, each with an entry of the audit, and no other', async () => {
    const stage = await oldDeadLetters();
    const { admin, rig, old, young, others } = stage;
    await admin.setRetention({ type: 'work' }, 30, told);
    await sweepAgain(rig);
    expect(await idsOf(stage)).toEqual([...young, ...others].toSorted());
    const entries = (await admin.audit()).filter(({ verb }) => verb === 'retention');
    expect(entries.map(({ jobId }) => jobId)).toEqual(old);
    expect(entries[0]).toMatchObject({ actor: 'sweeper', type: 'work', detail: expect.stringMatching(/kept for 30 days/) });
    expect(await admin.retention()).toMatchObject([
      { scope: 'type#work', from: 'operator', days: 30, actor: 'anna', reason: 'ticket 4711' },
    ]);
    const group = (await admin.errorGroups({ state: 'all', type: 'work' })).groups[0];
    expect(group).toMatchObject({ deleted: 1, open: young.length });
  });

  it('for all is for the types without one of their own, and a longer one keeps', async () => {
    const stage = await oldDeadLetters();
    const { admin, rig, old, young } = stage;
    await admin.setRetention('all', 30);
    await admin.setRetention({ type: 'work' }, 90);
    await sweepAgain(rig);
    expect(await idsOf(stage)).toEqual([...old, ...young].toSorted());
  });

  it('leaves the dead letters of an error group with a note or an owner', async () => {
    const stage = await oldDeadLetters();
    const { admin, rig, old, young, others } = stage;
    const [mine] = (await admin.errorGroups({ state: 'all', type: 'work' })).groups;
    await admin.annotateErrorGroup(mine?.fingerprint ?? '', { owner: 'payments' });
    await admin.setRetention('all', 30);
    expect(await admin.previewRetention('all', 30)).toMatchObject({ removes: others.length, noted: 1, complete: true });
    await sweepAgain(rig);
    expect(await idsOf(stage)).toEqual([...old, ...young].toSorted());
    await admin.annotateErrorGroup(mine?.fingerprint ?? '', { owner: null });
    await sweepAgain(rig);
    expect(await idsOf(stage)).toEqual(young);
  });

  it('is taken back, after which all are kept', async () => {
    const stage = await oldDeadLetters();
    const { admin, rig } = stage;
    await admin.setRetention('all', 30);
    expect(await admin.clearRetention('all', told)).toBe('cleared');
    expect(await admin.clearRetention('all')).toBe('not-set');
    await sweepAgain(rig);
    expect(await idsOf(stage)).toHaveLength(4);
    const verbs = (await admin.audit()).map(({ verb, scope, detail }) => [verb, scope, detail]);
    expect(verbs).toEqual(
      expect.arrayContaining([
        ['setRetention', 'all', '30 days'],
        ['clearRetention', 'all', undefined],
      ]),
    );
  });

  it('is the setting of the deployment until an operator sets one for all', async () => {
    const stage = await oldDeadLetters({ deadLetterDays: 30 });
    const { admin, rig, young } = stage;
    expect(await admin.retention()).toEqual([{ scope: 'all', from: 'setting', days: 30 }]);
    await admin.setRetention('all', 90);
    expect(await admin.retention()).toMatchObject([{ scope: 'all', from: 'operator', days: 90 }]);
    await sweepAgain(rig);
    expect(await idsOf(stage)).toHaveLength(4);
    await admin.clearRetention('all');
    await sweepAgain(rig);
    expect(await idsOf(stage)).toEqual(young);
  });

  it('keeps everything while it cannot be read', async () => {
    const stage = await oldDeadLetters({ deadLetterDays: 1 });
    const { admin, rig } = stage;
    const damaged = { pk: 'acquire', sk: 'retention#all', days: 'many' };
    await rig.tables.write({ op: 'put', table: 'control', row: damaged });
    await sweepAgain(rig);
    expect(await idsOf(stage)).toHaveLength(4);
    expect((await admin.retention())[0]).not.toHaveProperty('days');
    expect(await admin.acquireLocks()).toEqual([]);
  });

  it.each([
    ['fail', () => Promise.reject(new StoreUnavailableError('query', new Error('throttled')))],
    ['come in part', async () => ({ rows: [], readUnits: 1, cursor: { pk: 'acquire', sk: '0001' } })],
  ] as const)('keeps more than the setting of the deployment also where the rules %s', async (_, answer) => {
    const stage = await oldDeadLetters({ deadLetterDays: 30 });
    const { admin, rig } = stage;
    await admin.setRetention('all', 3_650);
    const { tables } = rig;
    const away: typeof tables = { ...tables, query: async (query) => (query.partition === 'acquire' ? answer() : tables.query(query)) };
    await sweepOver(rig, { tables: away });
    expect(await idsOf(stage)).toHaveLength(4);
  });

  it('is counted before it is set, and nothing is written', async () => {
    const { admin, rig, old } = await oldDeadLetters();
    const before = await rig.rows('control');
    const preview = await admin.previewRetention({ type: 'work' }, 30);
    expect(preview).toMatchObject({ removes: old.length, noted: 0, complete: true });
    expect(rig.clock.now() - (preview.oldest?.getTime() ?? 0)).toBeGreaterThan(30 * DAY);
    expect(await admin.previewRetention({ type: 'work' }, 3_650)).toMatchObject({ removes: 0, complete: true });
    expect(await rig.rows('control')).toEqual(before);
  });

  it('is counted page by page, as far as the read units go', async () => {
    const { rig, others, old } = await oldDeadLetters();
    const { tables } = rig;
    const small: typeof tables = { ...tables, scan: async (scan) => ({ ...(await tables.scan({ ...scan, limit: 1 })), readUnits: 1 }) };
    const admin = createAdminOver({ ...rig.deps, tables: small });
    expect(await admin.previewRetention('all', 30)).toMatchObject({ removes: old.length + others.length, complete: true });
    expect(await admin.previewRetention('all', 30, { maxReadUnits: 2 })).toMatchObject({ complete: false, readUnits: 2 });
  });

  it('that the store does not take is an error, and not set', async () => {
    const { rig, admin } = brokenStage();
    const transact = async () => ({ applied: false, reasons: [{ code: 'TransactionConflict' }, { code: 'None' }] }) as never;
    const refusing = createAdminOver({ ...rig.deps, tables: { ...rig.tables, transact } });
    await expect(rig.until(refusing.setRetention('all', 30))).rejects.toThrow(StoreUnavailableError);
    expect(await admin.retention()).toEqual([]);
  });

  it.each([
    ['a scope', { group: 'g' }, 30, /^scope: "group" is not valid. Known are: type/],
    ['a type without a name', { type: '' }, 30, /scope\.type/],
    ['no days', 'all', 0, /^days: 0.*from 1 to 3650/],
    ['too many days', 'all', 3_651, /^days: 3651/],
    ['half a day', 'all', 0.5, /^days: 0\.5/],
  ])('is refused for %s, before anything is written', async (_, scope, days, message) => {
    const { admin, rig } = brokenStage();
    await expect(admin.setRetention(scope as 'all', days)).rejects.toThrow(message);
    await expect(admin.previewRetention(scope as 'all', days)).rejects.toThrow(message);
    expect(await rig.rows('control')).toEqual([]);
  });

  it('is one of 30 at most, because the sweeper reads them in one page', async () => {
    const { admin } = brokenStage();
    for (let at = 0; at < 30; at++) await admin.setRetention({ type: `type-${at}` }, 30);
    await admin.setRetention({ type: 'type-7' }, 31);
    await expect(admin.setRetention('all', 30)).rejects.toThrow(/^scope: .*There are 30 rules/);
    await expect(admin.previewRetention('all', 30, { maxReadUnits: 0 })).rejects.toThrow(/^maxReadUnits: 0/);
  });
});

describe('a removal', () => {
  it('goes on where the last run stopped, and rests for ten minutes after a pass', async () => {
    const stage = await oldDeadLetters();
    const { admin, rig, old } = stage;
    await admin.setRetention({ type: 'work' }, 30);
    const row = (await rig.rows('deadLetters')).find(({ id }) => id === old[0]) ?? {};
    await sweepAgain(rig);
    await rig.tables.write({ op: 'put', table: 'deadLetters', row });
    await rig.sweep();
    expect(await idsOf(stage)).toContain(old[0]);
    await sweepAgain(rig);
    expect(await idsOf(stage)).not.toContain(old[0]);
    const cursor = { pk: 'sweep-cursor', sk: 'retention' };
    await rig.tables.write({ op: 'put', table: 'deadLetters', row });
    await rig.tables.write({ op: 'put', table: 'control', row: { ...cursor, after: String(old[0]) } });
    await rig.sweep();
    expect(await idsOf(stage)).toContain(old[0]);
    expect((await rig.tables.get('control', cursor))?.['passedAt']).toBeDefined();
  });

  it('stops at its share of read units, and the next run continues behind', async () => {
    const stage = await oldDeadLetters();
    const { admin, rig, young } = stage;
    await admin.setRetention('all', 30);
    const { tables } = rig;
    let scans = 0;
    const dear: typeof tables = {
      ...tables,
      scan: async (scan) => {
        if (scan.table !== 'deadLetters') return tables.scan(scan);
        scans++;
        return { ...(await tables.scan({ ...scan, limit: 1 })), readUnits: 250 };
      },
    };
    for (let run = 1; run <= 5; run++) {
      await sweepOver(rig, { tables: dear });
      expect(scans).toBe(run);
    }
    expect(await idsOf(stage)).toEqual(young);
  });

  it('does not begin without time, and does not count that as a pass', async () => {
    const stage = await oldDeadLetters();
    await stage.admin.setRetention('all', 30);
    await sweepOver(stage.rig, {}, 5_000);
    expect(await idsOf(stage)).toHaveLength(4);
    await stage.rig.sweep();
    expect(await idsOf(stage)).toEqual(stage.young);
  });

  it('does not rest for a pass that ended in the future, by a clock that was wrong', async () => {
    const stage = await oldDeadLetters();
    const { admin, rig } = stage;
    await admin.setRetention('all', 30);
    const row = { pk: 'sweep-cursor', sk: 'retention', passedAt: '2099-01-01T00:00:00.000Z' };
    await rig.tables.write({ op: 'put', table: 'control', row });
    await rig.sweep();
    expect(await idsOf(stage)).toEqual(stage.young);
  });

  it('leaves a batch as it counted the dead letter, and the key free', async () => {
    const { rig, admin, health } = brokenStage();
    const batch = await rig.client.createBatch();
    await batch.enqueue(work, {});
    await batch.seal();
    const { id } = await rig.client.enqueue(work, {}, { key: 'once' });
    await rig.drain();
    await rig.clock.advance(40 * DAY);
    await admin.setRetention('all', 30);
    await sweepAgain(rig);
    expect(await admin.find(id)).toBeUndefined();
    expect(await admin.batch(batch.id)).toMatchObject({ failed: 1, total: 1 });
    health.broken = false;
    expect(await rig.client.enqueue(work, {}, { key: 'once' })).toMatchObject({ duplicate: false });
  });

  it('that the store refuses leaves the others to be removed, and is journalled', async () => {
    const stage = await oldDeadLetters();
    const { rig, admin } = stage;
    await admin.setRetention('all', 30);
    let refusals = 0;
    const { tables } = rig;
    const refusing: typeof tables = {
      ...tables,
      transact: async (writes, token) => {
        if (refusals++ === 0) throw new Error('no answer');
        return tables.transact(writes, token);
      },
    };
    await sweepOver(rig, { tables: refusing });
    expect(await idsOf(stage)).toHaveLength(3);
    expect(rig.journal.entries.filter(({ reason }) => reason === 'retention')).toHaveLength(1);
    expect(await createAdminOver(rig.deps).count({ state: 'dead' })).toMatchObject({ dead: 3 });
    const { groups } = await admin.errorGroups({ state: 'all' });
    expect(groups.reduce((sum, { deleted }) => sum + deleted, 0)).toBe(1);
  });
});
