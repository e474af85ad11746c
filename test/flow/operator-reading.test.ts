import { beforeAll, describe, expect, it } from 'vitest';
import type { Admin } from '../../operate/admin.ts';
import { STATES } from '../../operate/jobs/check-filter.ts';
import type { ListOptions } from '../../operate/jobs/job-filter.ts';
import type { JobPage } from '../../operate/jobs/read-verbs.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { idsOf, pagesOf } from '../support/listed-pages.ts';
import { Rig } from '../support/rig.ts';
import type { StrewnJob } from '../support/strewn-jobs.ts';
import { SMALL_PAGE, strewnStage } from '../support/strewn-stage.ts';

let rig: Rig;
let admin: Admin;
let jobs: readonly StrewnJob[];

beforeAll(async () => {
  ({ rig, admin, jobs } = await strewnStage());
});

const pages = async (options: ListOptions): Promise<readonly JobPage[]> => pagesOf(admin, options);

type Case = readonly [what: string, filter: ListOptions, expected: (job: StrewnJob) => boolean];
const at = (minutes: number): Date => new Date(new Rig().clock.now() - minutes * 60_000);
const living = ({ state }: StrewnJob): boolean => state !== 'finished';

const CASES: readonly Case[] = [
  ['nothing', {}, living],
  ...STATES.map((state): Case => [state, { state }, (job) => job.state === state]),
  ['every state', { state: STATES }, () => true],
  ['two states of one table', { state: ['ready', 'running'] }, ({ state }) => state === 'ready' || state === 'running'],
  ['a type', { type: 'mail' }, (job) => living(job) && job.type === 'mail'],
  ['any of two types', { type: ['mail', 'report'], state: STATES }, ({ type }) => type !== 'invoice'],
  ['dead of a type', { state: 'dead', type: 'invoice' }, ({ state, type }) => state === 'dead' && type === 'invoice'],
  ['dead of two types', { state: 'dead', type: ['invoice', 'mail'] }, ({ state, type }) => state === 'dead' && type !== 'report'],
  ['a fault', { fingerprint: 'print-1' }, ({ fingerprint }) => fingerprint === 'print-1'],
  ['two faults', { fingerprint: ['print-1', 'print-2'] }, ({ fingerprint }) => fingerprint === 'print-1' || fingerprint === 'print-2'],
  ['a fault of a type', { fingerprint: 'print-1', type: 'mail' }, (job) => job.fingerprint === 'print-1' && job.type === 'mail'],
  ['a tenant', { tenant: 'acme' }, (job) => living(job) && job.tenant === 'acme'],
  ['tenants by prefix', { tenant: { prefix: 'acme' } }, (job) => living(job) && job.tenant?.startsWith('acme') === true],
  ['jobs without a tenant', { tenant: null }, (job) => living(job) && job.tenant === undefined],
  ['any of two tenants', { tenant: ['acme', 'globex'] }, (job) => living(job) && (job.tenant === 'acme' || job.tenant === 'globex')],
  [
    'dead of a type without a tenant',
    { state: 'dead', type: 'mail', tenant: null },
    (job) => job.state === 'dead' && job.type === 'mail' && !job.tenant,
  ],
  ['a group', { group: 'g1' }, (job) => living(job) && job.group === 'g1'],
  ['a batch', { batch: 'b1', state: STATES }, (job) => job.batch === 'b1'],
  ['a schedule', { schedule: 'nightly' }, (job) => living(job) && job.schedule === 'nightly'],
  ['a correlation id', { correlationId: 'order-3', state: STATES }, (job) => job.correlationId === 'order-3'],
  ['a worker and a lane', { worker: 'heavy', lane: 'bulk' }, (job) => living(job) && job.worker === 'heavy' && job.lane === 'bulk'],
  ['the name of an error', { errorName: 'BankError' }, ({ error }) => error !== undefined],
  ['why they died', { reason: 'crash-loop' }, ({ reason }) => reason === 'crash-loop'],
  ['what the operator said', { state: 'suspended', reason: 'look' }, (job) => job.state === 'suspended' && job.reason === 'look'],
  ['why they are suspended', { cause: 'type#mail' }, ({ cause }) => cause === 'type#mail'],
  ['an outcome', { outcome: ['cancelled', 'skipped'] }, ({ outcome }) => outcome === 'cancelled' || outcome === 'skipped'],
  ['what cannot be', { state: 'ready', cause: 'breakpoint' }, () => false],
  ['a time', { from: at(35), to: at(31) }, (job) => living(job) && job.at >= at(35).getTime() && job.at < at(31).getTime()],
  [
    'due within a time',
    { state: 'waiting', from: at(-31), to: at(-35) },
    (job) => job.state === 'waiting' && job.at >= at(-31).getTime() && job.at < at(-35).getTime(),
  ],
  [
    'dead of a type within a time',
    { state: 'dead', type: 'mail', from: at(36), to: at(32) },
    (job) => job.state === 'dead' && job.type === 'mail' && job.at >= at(36).getTime() && job.at < at(32).getTime(),
  ],
  ['finished since', { state: 'finished', from: at(34) }, (job) => job.state === 'finished' && job.at >= at(34).getTime()],
  ['parked before', { state: 'parked', to: at(32) }, (job) => job.state === 'parked' && job.at < at(32).getTime()],
  ['a text of the error, in small letters', { text: 'timeout of bank 1' }, ({ error }) => error === 'Timeout of bank 1'],
  ['a text of the payload, with quotes', { text: 'SAY "hello"' }, (job) => living(job) && job.payload.includes('Hello')],
  [
    'a text of the payload that an index lacks',
    { state: 'dead', type: 'report', text: 'ärger' },
    (job) => job.state === 'dead' && job.type === 'report' && job.payload.includes('ÄRGER'),
  ],
];

describe.each(CASES)('a list of %s', (_what, filter, expected) => {
  it('has exactly these jobs, on one page, on small pages, and in the count', async () => {
    const wanted = jobs.filter(expected).map(({ id }) => id);
    expect(wanted.length > 0).toBe(filter.cause !== 'breakpoint');
    const whole = idsOf(await pages({ ...filter, limit: 1_000 }));
    expect(whole.toSorted()).toEqual(wanted.toSorted());
    const small = await pages({ ...filter, limit: SMALL_PAGE });
    expect(idsOf(small)).toEqual(whole);
    for (const page of small) expect(page.jobs.length).toBeLessThanOrEqual(SMALL_PAGE);
    expect(await admin.count(filter)).toMatchObject({ total: wanted.length, complete: true });
  });
});

describe('a list', () => {
  it('of dead letters of a type is newest first, also among those of one instant, and says what served it', async () => {
    const page = await admin.list({ state: 'dead', type: ['mail', 'invoice'], limit: 9 });
    const times = page.jobs.map(({ failedAt }) => failedAt?.getTime() ?? 0);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(new Set(times).size).toBeLessThan(times.length);
    expect(page).toMatchObject({ order: 'newest-first', servedBy: 'index byType of DeadLetters' });
    expect(page.readUnits).toBeGreaterThan(0);
  });

  it('of waiting jobs has those first that are due first', async () => {
    const all = await pages({ state: 'waiting', limit: 5 });
    const times = all.flatMap((page) => page.jobs.map(({ dueAt }) => dueAt.getTime()));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(all[0]).toMatchObject({ order: 'soonest-first', servedBy: 'Timers by due time' });
  });

  it('of finished jobs has those first that were due last', async () => {
    const ids = idsOf(await pages({ state: 'finished', limit: 5 }));
    expect(ids).toEqual(ids.toSorted().toReversed());
  });

  it('of several places has no order, and names them', async () => {
    expect(await admin.list({ state: ['ready', 'dead'], type: 'mail' })).toMatchObject({
      order: 'none',
      servedBy: 'scan of Jobs, index byType of DeadLetters',
    });
    expect(await admin.list({ state: 'ready', cause: 'breakpoint' })).toEqual({
      jobs: [],
      readUnits: 0,
      order: 'none',
      servedBy: 'nothing: no job can match',
    });
  });

  it('shows of each state what it is about, and no payload', async () => {
    for (const state of STATES) {
      const { jobs: listed } = await admin.list({ state, limit: 100 });
      for (const view of listed) {
        const job = jobs.find(({ id }) => id === view.id);
        expect(view).toMatchObject({
          state,
          type: job?.type,
          worker: job?.worker,
          lane: job?.lane,
          attempts: job?.attempts,
          failures: job?.failures,
          priority: job?.priority,
          rev: 4,
        });
        expect([view.payload, view.error?.stack]).toEqual([undefined, undefined]);
        const { parkedAt, suspendedAt, failedAt, finishedAt, dueAt } = view;
        expect((parkedAt ?? suspendedAt ?? failedAt ?? finishedAt ?? dueAt).getTime()).toBe(job?.at);
      }
    }
    const [dead] = (await admin.list({ state: 'dead', type: 'mail' })).jobs;
    expect(dead).toMatchObject({
      error: { name: 'BankError', message: expect.stringContaining('Timeout') },
      fingerprint: expect.any(String),
    });
    const [parked] = (await admin.list({ state: 'parked' })).jobs;
    expect(parked?.limit).toBe(`limit#hash-${parked?.type}`);
  });

  it('is of single jobs by their ids, in their order, and leaves out what is nowhere', async () => {
    const ids = STATES.map((state) => jobs.find((job) => job.state === state)?.id ?? '');
    const given = [...ids, rig.client.newId()];
    expect(idsOf(await pages({ id: given, state: STATES, limit: 2 }))).toEqual(ids);
    expect(idsOf(await pages({ id: given, state: ['dead', 'ready'] }))).toHaveLength(2);
  });

  it('ends a page at its read units, full or not, and goes on there', async () => {
    const all = await pages({ state: STATES, text: 'say "hello"', maxReadUnits: 1, limit: 1_000 });
    expect(all.length).toBeGreaterThan(5);
    expect(all.some((page) => page.jobs.length === 0)).toBe(true);
    expect(idsOf(all).toSorted()).toEqual(idsOf(await pages({ state: STATES, text: 'say "hello"' })).toSorted());
    expect(await admin.count({ maxReadUnits: 1 })).toMatchObject({ complete: false });
  });

  it('goes on only behind a page of the same filter', async () => {
    const { next } = await admin.list({ state: 'dead', type: 'mail', limit: 1 });
    for (const [filter, after] of [
      [{ state: 'dead', type: 'invoice' }, next],
      [{ state: 'dead' }, next],
      [{ state: 'dead', type: 'mail' }, 'nonsense'],
      [{ state: 'dead', type: 'mail' }, ''],
      [{ state: 'dead', type: 'mail' }, 7],
      [{ state: 'dead', type: 'mail' }, Buffer.from('{"table":"control"}').toString('base64url')],
      [{ state: 'dead', type: 'mail' }, Buffer.from('["x","control",{}]').toString('base64url')],
    ] as const) {
      await expect(admin.list({ ...filter, after: after as string })).rejects.toThrow(InvalidInputError);
    }
  });

  it.each<readonly [string, ListOptions]>([
    ['an index', { state: 'dead', type: ['mail', 'report'] }],
    ['due times', { state: 'waiting' }],
    ['days', { state: 'finished' }],
    ['limits', { state: 'parked' }],
    ['a scan', { state: ['ready', 'suspended'] }],
  ])('by %s goes on although times that are counted from now have moved on', async (_how, filter) => {
    const first = await admin.list({ ...filter, limit: 4, from: at(60), to: at(-60) });
    const after = first.next ?? '';
    const met = first.jobs.map(({ id }) => id);
    const rest = idsOf(await pages({ ...filter, from: at(60), to: at(-60) })).filter((id) => !met.includes(id));
    expect(rest.length).toBeGreaterThan(0);
    const moved = { ...filter, after, from: at(59), to: at(-61), limit: 1_000 };
    expect((await admin.list(moved)).jobs.map(({ id }) => id)).toEqual(rest);
    for (const range of [{ from: at(-100) }, { to: at(100) }]) expect((await admin.list({ ...filter, after, ...range })).jobs).toEqual([]);
  });

  it('for one tenant has its jobs alone', async () => {
    const acme = admin.forTenant('acme');
    const own = jobs.filter((job) => job.tenant === 'acme' && living(job));
    expect((await acme.list({ limit: 1_000 })).jobs.map(({ id }) => id).toSorted()).toEqual(own.map(({ id }) => id).toSorted());
    expect(await acme.list({ tenant: 'globex' } as never)).toMatchObject({
      jobs: expect.not.arrayContaining([expect.objectContaining({ tenant: 'globex' })]),
    });
    expect(await acme.count({ state: 'dead' })).toMatchObject({ total: own.filter(({ state }) => state === 'dead').length });
    const other = jobs.find(({ tenant }) => tenant === 'globex')?.id ?? '';
    expect(await acme.find(other)).toBeUndefined();
    expect(await acme.find(own[0]?.id ?? '')).toMatchObject({ tenant: 'acme' });
  });
});

describe('find', () => {
  it('gives a job of any state with payload, error and stack', async () => {
    for (const state of STATES) {
      const job = jobs.find((one) => one.state === state);
      const view = await admin.find(job?.id ?? '');
      expect(view).toMatchObject({ id: job?.id, state, payload: job?.payload, dispatches: 2, chainDepth: 1, kind: 'async' });
      expect(view?.error?.stack?.includes('bank.ts')).toBe(state === 'dead' ? true : undefined);
    }
  });

  it('knows nothing of a job that is nowhere, and refuses what is no id', async () => {
    expect(await admin.find(rig.client.newId())).toBeUndefined();
    await expect(admin.find('nonsense')).rejects.toThrow(/id/);
  });
});

describe('a filter', () => {
  it('that makes no sense is refused before anything is read', async () => {
    await expect(admin.list({ limit: 0 })).rejects.toThrow(/limit/);
    await expect(admin.list({ limit: 1_001 })).rejects.toThrow(/limit/);
    await expect(admin.list({ maxReadUnits: 0 })).rejects.toThrow(/maxReadUnits/);
    await expect(admin.count({ tenant: '' })).rejects.toThrow(InvalidInputError);
  });

  it('takes instants beyond what rows can hold for the ends of time', async () => {
    expect(await admin.count({ from: -1e15, to: 1e15 })).toMatchObject({ total: jobs.filter(living).length });
  });
});
