import { beforeAll, describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../../../operate/admin.ts';
import type { AttemptListOptions, AttemptPage, ListedAttempt } from '../../../../operate/attempts/attempt-filter.ts';
import type { AttemptOutcome, AttemptRecord } from '../../../../shared/job/attempt.ts';
import { defined } from '../../../../shared/job/defined.ts';
import { fingerprint } from '../../../../shared/job/fingerprint.ts';
import { dueAtOf, jobIdFrom } from '../../../../shared/job/job-id.ts';
import { attemptRow } from '../../../../shared/store/attempt-rows.ts';
import { Rig } from '../../../support/rig.ts';
import { EMPTY_QUERIES_COST } from '../../../support/store-differences.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const OUTCOMES: readonly AttemptOutcome[] = ['completed', 'retried', 'dead-lettered', 'lost-lease'];
const MANY = 36;

interface Stage {
  readonly rig: Rig;
  readonly admin: Admin;
  readonly now: number;
  readonly records: readonly AttemptRecord[];
}

/** Attempts of jobs that were first due over two days, two of each job a minute apart, of every sort. */
async function stage(): Promise<Stage> {
  const rig = new Rig();
  const now = rig.clock.now();
  const records: AttemptRecord[] = [];
  for (let index = 0; index < MANY; index++) {
    const dueAt = now - HOUR - index * HOUR;
    const jobId = jobIdFrom(dueAt, `job ${index}`);
    for (const run of [1, 2]) {
      const startedAt = dueAt + run * MINUTE;
      const outcome = OUTCOMES[(index + run) % OUTCOMES.length] ?? 'completed';
      const failed = outcome === 'retried' || outcome === 'dead-lettered';
      const error = { name: index % 2 === 0 ? 'TypeError' : 'JobTimedOutError', message: `No Bank ${index}`, stack: 'at f', at: startedAt };
      records.push({
        jobId,
        run,
        type: ['mail', 'report', 'invoice'][index % 3] ?? '',
        worker: index % 5 === 0 ? 'heavy' : 'default',
        ...defined({ tenant: ['acme', 'acme-eu', undefined][index % 3] }),
        attempt: run,
        startedAt,
        endedAt: startedAt + ((index * 37 + run) % 50) * SECOND,
        outcome,
        ...(outcome === 'dead-lettered' ? { reason: 'retries-exhausted' } : {}),
        ...(failed ? { error } : {}),
        requestId: `request-${index}`,
        log: '[{"message":"secret"}]',
      });
    }
  }
  await rig.tables.putAll('history', records.map((record) => attemptRow(record, 3))); // oxfmt-ignore
  return { rig, admin: createAdminOver(rig.deps), now, records };
}

let { admin, now, records }: Stage = {} as Stage;
beforeAll(async () => void ({ admin, now, records } = await stage()));

const nameOf = ({ jobId, attempt }: { readonly jobId: string; readonly attempt: number }): string => `${jobId} ${attempt}`;
const runMs = ({ startedAt, endedAt }: AttemptRecord): number => endedAt - startedAt;
/** All that was put, in reach of a list. */
const all = (): AttemptListOptions => ({ from: now - 2 * DAY, to: now, dueFrom: now - 2 * DAY });

async function pages(options: AttemptListOptions): Promise<readonly AttemptPage[]> {
  const read: AttemptPage[] = [];
  let after: string | undefined;
  do {
    const page = await admin.attempts({ ...options, ...defined({ after }) });
    read.push(page);
    after = page.next;
    if (read.length > 2_000) throw new Error('endless');
  } while (after !== undefined);
  return read;
}

async function listed(options: AttemptListOptions): Promise<readonly ListedAttempt[]> {
  return (await pages(options)).flatMap(({ attempts }) => attempts);
}

type Case = readonly [what: string, options: () => AttemptListOptions, expected: (record: AttemptRecord) => boolean];
const CASES: readonly Case[] = [
  ['no field', () => ({}), () => true],
  ['a type', () => ({ type: 'mail' }), ({ type }) => type === 'mail'],
  ['types', () => ({ type: ['mail', 'report'] }), ({ type }) => type !== 'invoice'],
  ['a worker', () => ({ worker: 'heavy' }), ({ worker }) => worker === 'heavy'],
  ['a tenant', () => ({ tenant: 'acme' }), ({ tenant }) => tenant === 'acme'],
  ['tenants by prefix', () => ({ tenant: { prefix: 'acme' } }), ({ tenant }) => tenant !== undefined],
  ['no tenant', () => ({ tenant: null }), ({ tenant }) => tenant === undefined],
  ['an outcome', () => ({ outcome: 'lost-lease' }), ({ outcome }) => outcome === 'lost-lease'],
  ['outcomes', () => ({ outcome: ['retried', 'completed'] }), ({ outcome }) => outcome === 'retried' || outcome === 'completed'],
  ['a reason', () => ({ reason: 'retries-exhausted' }), ({ outcome }) => outcome === 'dead-lettered'],
  ['the name of the error', () => ({ errorName: 'JobTimedOutError' }), ({ error }) => error?.name === 'JobTimedOutError'],
  ['an error', () => ({ hasError: true }), ({ error }) => error !== undefined],
  ['no error', () => ({ hasError: false }), ({ error }) => error === undefined],
  ['a text of the error, whatever its case', () => ({ text: 'bank 8' }), ({ error }) => error?.message.includes('Bank 8') === true],
  ['how long they ran', () => ({ minRunMs: 40 * SECOND }), (record) => runMs(record) >= 40 * SECOND],
  [
    'when they ended',
    () => ({ from: now - 30 * HOUR, to: now - 10 * HOUR }),
    ({ endedAt }) => endedAt >= now - 30 * HOUR && endedAt < now - 10 * HOUR,
  ],
  [
    'when their jobs were first due',
    () => ({ dueFrom: now - 30 * HOUR, dueTo: now - 10 * HOUR }),
    ({ jobId }) => dueAtOf(jobId) >= now - 30 * HOUR && dueAtOf(jobId) < now - 10 * HOUR,
  ],
  [
    'several fields',
    () => ({ type: 'mail', outcome: 'retried', text: 'bank' }),
    ({ type, outcome }) => type === 'mail' && outcome === 'retried',
  ],
];

describe('attempts of all jobs', () => {
  describe.each(CASES)('by %s', (_what, options, expected) => {
    const meant = () => records.filter(expected);

    it('come once each, those of the jobs that were first due last before the others', async () => {
      const newest = (await listed({ ...all(), ...options(), limit: 20 })).map(nameOf);
      expect(newest).toEqual(
        meant()
          .map(nameOf)
          .toSorted()
          .toReversed(),
      ); // oxfmt-ignore
      const oldest = (await listed({ ...all(), ...options(), limit: 20, order: 'oldest-first' })).map(nameOf);
      expect(oldest).toEqual(newest.toReversed());
    });

    it('come slowest first, whole where a page has the read units, and once each where it has not', async () => {
      const slow = await listed({ ...all(), ...options(), limit: 20, order: 'slowest-first' });
      expect(slow.map((one) => one.runMs)).toEqual(meant().map(runMs).toSorted((a, b) => b - a)); // oxfmt-ignore
      expect(slow.map(nameOf).toSorted()).toEqual(meant().map(nameOf).toSorted());
      const poor = await pages({ ...all(), ...options(), limit: 20, order: 'slowest-first', maxReadUnits: 70 });
      expect(poor.flatMap(({ attempts }) => attempts.map(nameOf)).toSorted()).toEqual(meant().map(nameOf).toSorted());
    });
  });

  it('by fingerprint are those of one error, whose dead letters have the same', async () => {
    const [record] = records.filter(({ error }) => error !== undefined);
    if (record?.error === undefined) throw new Error('none');
    const print = fingerprint(record.type, record.error);
    const found = await listed({ ...all(), fingerprint: print, order: 'oldest-first' });
    expect(found.length).toBeGreaterThan(1);
    expect(new Set(found.map((one) => `${one.type} ${one.error?.name} ${one.fingerprint}`))).toEqual(
      new Set([`${record.type} ${record.error.name} ${print}`]),
    );
  });

  it('are shown without log and stack, which the history of their job has', async () => {
    const [one] = await listed({ ...all(), hasError: true });
    expect(one).not.toHaveProperty('log');
    expect(one?.error).toEqual({ name: expect.any(String), message: expect.any(String), at: expect.any(Date) });
  });

  it('without times are those of the last day, and the page says whose jobs it read', async () => {
    const page = await admin.attempts();
    expect(page).toMatchObject({ order: 'newest-first', dueFrom: new Date(now + 1 - 2 * DAY), dueTo: new Date(now + 1 + MINUTE) });
    expect(page.attempts.map(nameOf).toSorted()).toEqual(
      records
        .filter(({ endedAt }) => endedAt >= now + 1 - DAY)
        .map(nameOf)
        .toSorted(),
    ); // oxfmt-ignore
  });

  it.runIf(EMPTY_QUERIES_COST)('end a page at its read units, even without an attempt, and go on behind it', async () => {
    const read = await pages({ ...all(), type: 'nothing', maxReadUnits: 1 });
    expect(read.length).toBeGreaterThan(2);
    expect(read.every(({ attempts, readUnits }) => attempts.length === 0 && readUnits <= 100)).toBe(true);
    const many = await pages({ ...all(), maxReadUnits: 1 });
    expect(many.flatMap(({ attempts }) => attempts)).toHaveLength(records.length);
  });

  it.runIf(EMPTY_QUERIES_COST)('cost 32 read units for each day that its jobs were first due in, where there are few', async () => {
    const quiet = createAdminOver(new Rig().deps);
    const page = await quiet.attempts({ dueFrom: now - 3 * DAY, dueTo: now });
    expect(page).toMatchObject({ attempts: [], readUnits: 3 * 32 });
    expect(page.next).toBeUndefined();
  });

  it('come slowest first once each where a part of a day has more than a page', async () => {
    const { rig, admin: own, records: put } = await stage();
    const [record] = put;
    if (record === undefined) throw new Error('none');
    const runs = Array.from({ length: 40 }, (_, run) => ({
      ...record,
      run,
      type: 'long',
      endedAt: record.startedAt + ((run * 7) % 40) * SECOND,
    }));
    await rig.tables.putAll('history', runs.map((one) => attemptRow(one, 3))); // oxfmt-ignore
    const seen: number[] = [];
    let after: string | undefined;
    do {
      const page = await own.attempts({ type: 'long', order: 'slowest-first', limit: 2, maxReadUnits: 1, ...defined({ after }) });
      expect(page.attempts.length).toBeLessThanOrEqual(2);
      seen.push(...page.attempts.map((one) => one.runMs));
      after = page.next;
    } while (after !== undefined && seen.length < 100);
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, of) => of * SECOND));
    expect(seen).not.toEqual(seen.toSorted((a, b) => b - a));
  });

  it('ran for no time where the clock went back meanwhile', async () => {
    const { rig, admin: own, records: put } = await stage();
    const [record] = put;
    if (record === undefined) throw new Error('none');
    await rig.tables.putAll('history', [attemptRow({ ...record, run: 9, type: 'back', endedAt: record.startedAt - SECOND }, 3)]);
    expect((await own.attempts({ type: 'back' })).attempts).toMatchObject([{ runMs: 0 }]);
  });

  it('leave out finished jobs, and a row that cannot be read', async () => {
    const { rig, admin: own, records: put } = await stage();
    const [record] = put;
    if (record === undefined) throw new Error('none');
    const row = attemptRow({ ...record, run: 9 }, 3);
    await rig.tables.putAll('history', [
      { ...row, startedAt: 'soon' },
      { day: String(row['day']), id: record.jobId, type: 'mail', outcome: 'completed', endedAt: String(row['endedAt']) },
    ]);
    const page = await own.attempts({ ...all(), limit: 1_000, maxReadUnits: 100_000 });
    expect(page.attempts).toHaveLength(put.length);
  });

  it.each([
    ['outcome', { outcome: 'lost' }],
    ['order', { order: 'fastest-first' }],
    ['limit', { limit: 0 }],
    ['limit', { limit: 1_001 }],
    ['maxReadUnits', { maxReadUnits: 0 }],
    ['minRunMs', { minRunMs: -1 }],
    ['minRunMs', { minRunMs: 1.5 }],
    ['tenant', { tenant: '' }],
    ['to', { from: 2, to: 2 }],
    ['dueTo', { dueFrom: 9, dueTo: 9 }],
    ['dueFrom', { dueFrom: 0 }],
    ['from', { from: 0 }],
    ['text', { text: '' }],
    ['options', { group: 'a' }],
    ['after', { after: 'x' }],
    ['after', { after: Buffer.from('["0",{}]').toString('base64url') }],
  ])('are not listed with a %s that means nothing: %j', async (field, options) => {
    await expect(admin.attempts(options as AttemptListOptions)).rejects.toThrow(new RegExp(`^${field}: `));
  });

  it('refuse the cursor of another filter, and take it with other times', async () => {
    const { next } = await admin.attempts({ ...all(), type: 'mail', limit: 1 });
    if (next === undefined) throw new Error('one page');
    await expect(admin.attempts({ ...all(), type: 'report', after: next })).rejects.toThrow(/^after: /);
    await expect(admin.attempts({ ...all(), type: 'mail', order: 'oldest-first', after: next })).rejects.toThrow(/^after: /);
    const moved = { from: now - 5 * DAY, to: now - 10 * HOUR, type: 'mail' };
    const page = await admin.attempts({ ...moved, after: next, limit: 1_000 });
    expect(page.attempts.length).toBeGreaterThan(0);
    expect(page.attempts.every(({ endedAt }) => endedAt.getTime() < now - 10 * HOUR)).toBe(true);
    const mark = (JSON.parse(Buffer.from(next, 'base64url').toString()) as readonly unknown[])[0];
    for (const broken of [
      { day: 'today' },
      { day: '2026-01-01', after: { day: '2026-01-02#0', id: 'a' } },
      { day: '2026-01-01', after: { day: '2026-01-01#0', id: '' } },
      { day: '2026-01-01', end: {} },
      { day: '2026-01-01', below: { runMs: 1.5, id: 'a' } },
      { day: '2026-01-01', below: { runMs: 1, id: '' } },
      null,
    ]) {
      const after = Buffer.from(JSON.stringify([mark, broken])).toString('base64url');
      await expect(admin.attempts({ ...all(), type: 'mail', after }), JSON.stringify(broken)).rejects.toThrow(/^after: /);
    }
  });
});
