import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { timerKey } from '../../shared/store/rows.ts';
import { erasureKey } from '../../operate/erase/erasure-rows.ts';
import { nextDigest } from '../../operate/erase/erasure-state.ts';
import { brokenStage, deadLetters, work } from '../support/dead-letters.ts';
import { aimAt, faultyTables } from '../support/faulty-tables.ts';

const told = { apply: true, actor: 'anna', reason: 'ticket 4711' } as const;

/** Tables that fail when a timer is cancelled. */
function failing(inner: Tables, error: Error): Tables {
  const faults = faultyTables(inner);
  faults.before(aimAt('delete', 'timers'), async () => Promise.reject(error));
  return faults.tables;
}

/** Tables that note their transactions. */
function watched(inner: Tables, sent: Parameters<Tables['transact']>[]): Tables {
  return {
    ...faultyTables(inner).tables,
    transact: async (...given) => {
      sent.push(given);
      return inner.transact(...given);
    },
  };
}

/** A signal that is aborted already: what is resumed with it stops before its first page. */
const stopped = (): AbortSignal => AbortSignal.abort();

describe('an erasure that is resumed', () => {
  it('may be stopped and resumed again in the same moment, with an entry in the audit each time', async () => {
    const { rig, admin } = await deadLetters(1);
    const first = await admin.erase({ type: work.name }, { ...told, signal: stopped() });
    expect(first).toMatchObject({ status: 'stopped', erased: { deadLetters: 0 } });
    const begun: string[] = [];
    for (let time = 0; time < 2; time++) {
      const again = { actor: 'bert', signal: stopped(), onBegin: (id: string) => void begun.push(id) };
      expect(await admin.resumeErasure(first.id ?? '', again)).toMatchObject({ status: 'stopped' });
    }
    expect(await admin.resumeErasure(first.id ?? '')).toMatchObject({ status: 'done', erased: { deadLetters: 1 } });
    expect(begun).toEqual([first.id, first.id]);
    const entries = (await admin.audit()).map(({ actor, detail }) => `${actor} ${detail?.split(': ')[1]?.split(',')[0]}`);
    expect(entries.filter((entry) => entry === 'bert resumed')).toHaveLength(2);
    expect(entries.filter((entry) => entry === 'bert stopped')).toHaveLength(2);
    expect(entries.filter((entry) => entry === 'operator done')).toHaveLength(1);
    expect(await rig.rows('deadLetters')).toHaveLength(1);
  });

  it('is only reported when it is done, and unknown to the admin of another tenant', async () => {
    const { admin } = await deadLetters(1);
    const report = await admin.erase({ type: work.name, tenant: 'acme' }, told);
    const begun: string[] = [];
    expect(await admin.resumeErasure(report.id ?? '', { onBegin: (id) => void begun.push(id) })).toEqual(report);
    expect(begun).toEqual([]);
    expect(await admin.forTenant('acme').erasure(report.id ?? '')).toEqual(report);
    const umbrella = admin.forTenant('umbrella');
    expect(await umbrella.erasure(report.id ?? '')).toBeUndefined();
    expect(await umbrella.resumeErasure(report.id ?? '')).toBeUndefined();
    expect(await umbrella.erasedJobs(report.id ?? '')).toEqual({ steps: [] });
  });
});

describe('an erasure for one tenant', () => {
  it('erases nothing of another, and refuses another name', async () => {
    const { rig, admin } = brokenStage();
    for (const tenant of ['acme', 'umbrella']) await rig.client.enqueue(work, {}, { tenant });
    await rig.drain();
    await rig.clock.advance(1_000);
    const acme = admin.forTenant('acme');
    expect(await acme.erase({}, told)).toMatchObject({ scope: { tenant: 'acme' }, erased: { deadLetters: 1 } });
    expect(await admin.count({ state: 'dead' })).toMatchObject({ dead: 1 });
    await expect(acme.erase({ tenant: 'umbrella' })).rejects.toThrow('works for one tenant');
  });
});

describe('an erasure in a store that fails', () => {
  it('counts a live job that could not be cancelled as failed, and goes on', async () => {
    const { rig } = brokenStage();
    await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    const tables = failing(rig.tables, new StoreUnavailableError('transaction', new Error('throttled')));
    const report = await createAdminOver({ ...rig.deps, tables }).erase({ type: work.name }, { ...told, cancelLive: true });
    expect(report).toMatchObject({ status: 'done', failed: 1, cancelled: 0, live: 0 });
    expect(rig.journal.entries.filter(({ event }) => event === 'store-failed')).toMatchObject([{ reason: 'erase' }]);
  });

  it('counts a live job whose row is unreadable as failed, and cancels the others', async () => {
    const { rig } = brokenStage();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    await rig.tables.write({ op: 'update', table: 'timers', key: timerKey(id), set: { failures: 'many' } });
    const report = await createAdminOver(rig.deps).erase({ type: work.name }, { ...told, cancelLive: true });
    expect(report).toMatchObject({ status: 'done', failed: 1, cancelled: 1, live: 0 });
    expect(rig.journal.entries.filter(({ event }) => event === 'store-failed')).toMatchObject([{ reason: 'erase' }]);
  });

  it('ends with an error that is no failure of the store, and may be resumed', async () => {
    const { rig, admin } = brokenStage();
    await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    const tables = failing(rig.tables, new TypeError('a bug'));
    let id = '';
    const erasing = createAdminOver({ ...rig.deps, tables }).erase(
      { type: work.name },
      { ...told, cancelLive: true, onBegin: (begun) => (id = begun) },
    );
    await expect(erasing).rejects.toThrow('a bug');
    expect(await admin.erasure(id)).toMatchObject({ status: 'running' });
    expect(await admin.resumeErasure(id)).toMatchObject({ status: 'done', cancelled: 1 });
  });

  it('writes its position down while it finds nothing for long', async () => {
    const { rig, admin } = brokenStage();
    const report = await admin.erase({ type: work.name }, { ...told, onProgress: () => void rig.clock.advance(20_000) });
    expect(Number((await rig.tables.get('control', erasureKey(report.id ?? '')))?.['steps'])).toBeGreaterThan(3);
    const quick = await admin.erase({ type: work.name }, told);
    expect((await rig.tables.get('control', erasureKey(quick.id ?? '')))?.['steps']).toBe(1);
  });

  it('leaves a damaged row out of the list, and says what is wrong with it by its id', async () => {
    const { rig, admin } = brokenStage();
    const report = await admin.erase({ type: work.name }, told);
    for (const [id, state] of [
      ['a', '{'],
      ['b', '{"steps":1}'],
      ['c', '[]'],
    ] as const) {
      await rig.tables.write({ op: 'put', table: 'control', row: { ...erasureKey(id), state, steps: 1 } });
      await expect(admin.erasure(id)).rejects.toThrow('state');
    }
    expect(await admin.erasures()).toEqual([report]);
    expect(await admin.erasures({ before: 'a' })).toEqual([report]);
    expect(await admin.erasures({ before: report.id ?? '' })).toEqual([]);
  });
});

describe('mistakes in the call of an erasure', () => {
  it('are refused before anything is read or written', async () => {
    const { rig, admin } = brokenStage();
    const wrong = { aply: true } as never;
    await expect(admin.erase({ type: 'work' }, wrong)).rejects.toThrow('aply');
    await expect(admin.erase({ typ: 'work' } as never)).rejects.toThrow('Did you mean type?');
    // A shell variable that was never set must not erase the jobs of every tenant.
    await expect(admin.erase({ type: 'work', tenant: '' })).rejects.toThrow(/^tenant: "".*leave the field out/);
    await expect(admin.erase({ type: 'work' }, { onProgress: 5 as never })).rejects.toThrow('Give a function');
    await expect(admin.erase({ type: 'work' }, { ratePerSecond: 0 })).rejects.toThrow('ratePerSecond');
    await expect(admin.resumeErasure('id', wrong)).rejects.toThrow('aply');
    await expect(admin.resumeErasure('id', { signal: 5 as never })).rejects.toThrow('signal');
    await expect(admin.resumeErasure('id', { ratePerSecond: 100_001 })).rejects.toThrow('ratePerSecond');
    await expect(admin.erasures(wrong)).rejects.toThrow('aply');
    await expect(admin.erasures({ limit: 1_001 })).rejects.toThrow('limit');
    await expect(admin.erasedJobs('id', wrong)).rejects.toThrow('aply');
    await expect(admin.erasedJobs('id', { limit: 0 })).rejects.toThrow('limit');
    await expect(admin.erasure('')).rejects.toThrow('Give the id of an erasure');
    expect(await rig.rows('control')).toEqual([]);
  });
});

describe('the proof of an erasure', () => {
  it('is a chain of SHA-256 over the ids, as its page says', () => {
    const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');
    expect(nextDigest('', ['a', 'b'])).toBe(hash(' a b'));
    expect(nextDigest('before', ['c'])).toBe(hash('before c'));
  });

  it('is kept for 400 days, like the audit', async () => {
    const { rig, admin } = await deadLetters(1);
    await admin.erase({ type: work.name }, told);
    const rows = (await rig.rows('control')).filter(({ pk }) => String(pk).startsWith('erasure'));
    expect(rows.length).toBeGreaterThan(1);
    for (const { expiresAt } of rows) expect(expiresAt).toBe(Math.ceil(rig.clock.now() / 1_000) + 400 * 86_400);
  });

  it('is not begun again by an attempt that arrives late', async () => {
    const { rig } = await deadLetters(1);
    const sent: Parameters<Tables['transact']>[] = [];
    const tables = watched(rig.tables, sent);
    const report = await createAdminOver({ ...rig.deps, tables }).erase({ type: work.name }, told);
    await rig.clock.advance(11 * 60_000);
    const [begin] = sent;
    if (begin !== undefined) await rig.tables.transact(...begin);
    expect(await createAdminOver(rig.deps).erasure(report.id ?? '')).toEqual(report);
  });

  it('has the same tokens for the same draws, and another for each step', async () => {
    const tokens = await Promise.all(
      [1, 2].map(async () => {
        const { rig } = await deadLetters(90);
        const sent: Parameters<Tables['transact']>[] = [];
        await createAdminOver({ ...rig.deps, tables: watched(rig.tables, sent) }).erase({ type: work.name }, told);
        return sent.map(([, token]) => token);
      }),
    );
    expect(tokens[0]).toEqual(tokens[1]);
    expect(new Set(tokens[0]).size).toBe(tokens[0]?.length);
  });

  it('is listed up to a limit, newest first, behind a damaged row too', async () => {
    const { rig, admin } = brokenStage();
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) {
      ids.unshift((await admin.erase({ type: work.name }, told)).id ?? '');
      await rig.clock.advance(1_000);
    }
    await rig.tables.write({ op: 'put', table: 'control', row: { ...erasureKey('z'), state: '{', steps: 1 } });
    expect((await admin.erasures({ limit: 2 })).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  });
});
