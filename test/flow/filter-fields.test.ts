import { beforeAll, describe, expect, it } from 'vitest';
import type { Admin } from '../../operate/admin.ts';
import { STATES } from '../../operate/jobs/check-filter.ts';
import type { ListOptions } from '../../operate/jobs/job-filter.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { idsOf, pagesOf } from '../support/listed-pages.ts';
import { Rig } from '../support/rig.ts';
import type { StrewnJob } from '../support/strewn-jobs.ts';
import { SMALL_PAGE, strewnStage } from '../support/strewn-stage.ts';

let admin: Admin;
let jobs: readonly StrewnJob[];

beforeAll(async () => {
  ({ admin, jobs } = await strewnStage());
});

type Case = readonly [what: string, filter: ListOptions, expected: (job: StrewnJob) => boolean];
const at = (minutes: number): Date => new Date(new Rig().clock.now() - minutes * 60_000);
const living = ({ state }: StrewnJob): boolean => state !== 'finished';

const CASES: readonly Case[] = [
  ['a kind', { kind: 'timer', state: STATES }, ({ kind }) => kind === 'timer'],
  [
    'a kind, which an index lacks',
    { state: 'dead', type: 'mail', kind: 'timer' },
    (job) => job.state === 'dead' && job.type === 'mail' && job.kind === 'timer',
  ],
  ['a priority', { priority: -1 }, (job) => living(job) && job.priority === -1],
  [
    'priorities of dead letters of a type, no kind left out',
    { state: 'dead', type: ['mail', 'report'], priority: { min: 0, max: 3 }, kind: ['async', 'timer'] },
    (job) => job.state === 'dead' && job.type !== 'invoice' && job.priority >= 0 && job.priority <= 3,
  ],
  ['two failures or more', { failures: { min: 2 } }, (job) => living(job) && job.failures >= 2],
  ['one attempt at most', { attempts: { max: 1 }, state: STATES }, ({ attempts }) => attempts <= 1],
  [
    'when they were created',
    { createdFrom: at(63), createdTo: at(61) },
    (job) => living(job) && job.createdAt >= at(63).getTime() && job.createdAt < at(61).getTime(),
  ],
  ['who holds them', { lockOwner: 'run/token-1' }, ({ lockOwner }) => lockOwner === 'run/token-1'],
  ['an error', { hasError: true, state: STATES }, ({ error }) => error !== undefined],
  ['no error', { hasError: false }, (job) => living(job) && job.error === undefined],
  [
    'alternatives',
    {
      or: [
        { type: 'mail', tenant: 'acme' },
        { group: 'g2', text: 'ärger' },
      ],
    },
    (job) => living(job) && ((job.type === 'mail' && job.tenant === 'acme') || (job.group === 'g2' && job.payload.includes('ÄRGER'))),
  ],
  [
    'alternatives besides a field, by index',
    {
      state: 'dead',
      or: [
        { type: 'mail', text: 'bank 1' },
        { type: 'report', kind: 'timer' },
        { type: 'report', text: 'hello' },
      ],
    },
    (job) =>
      job.state === 'dead' &&
      ((job.type === 'mail' && job.error === 'Timeout of bank 1') ||
        (job.type === 'report' && (job.kind === 'timer' || job.payload.includes('Hello')))),
  ],
  [
    'alternatives of different states',
    { type: 'mail', or: [{ outcome: 'completed' }, { cause: 'type#mail' }, { state: 'ready', priority: { min: 3 } }] },
    (job) =>
      job.type === 'mail' && (job.outcome === 'completed' || job.cause === 'type#mail' || (job.state === 'ready' && job.priority >= 3)),
  ],
];

describe.each(CASES)('a filter by %s', (_what, filter, expected) => {
  it('means exactly these jobs, on one page, on small pages, in the count, and for a bulk action', async () => {
    const wanted = jobs.filter(expected).map(({ id }) => id);
    expect(wanted.length).toBeGreaterThan(0);
    const whole = idsOf(await pagesOf(admin, { ...filter, limit: 1_000 }));
    expect(whole.toSorted()).toEqual(wanted.toSorted());
    expect(idsOf(await pagesOf(admin, { ...filter, limit: SMALL_PAGE }))).toEqual(whole);
    expect(await admin.count(filter)).toMatchObject({ total: wanted.length, complete: true });
    const dead = jobs.filter((job) => job.state === 'dead' && expected(job)).length;
    const redrive = admin.bulk({ verb: 'redrive' }, filter, { dryRun: true });
    const matched = redrive.then(
      (report) => report.matched,
      (error: unknown) => (String(error).includes('no job of this filter can be') ? 0 : -1),
    );
    expect(await matched).toBe(dead);
  });
});

describe('a list', () => {
  it.each<readonly [ListOptions, (job: StrewnJob) => string | number]>([
    [{ state: 'dead', type: ['mail', 'invoice'], order: 'oldest-first' }, ({ at: failed }) => failed],
    [{ cause: 'type#mail', order: 'oldest-first' }, ({ at: since }) => since],
    [{ state: 'finished', order: 'oldest-first' }, ({ id }) => id],
    [{ state: 'waiting', order: 'latest-first' }, ({ at: due }) => -due],
  ])('is the other way round when asked, page after page: %j', async (options, keyOf) => {
    const { order, ...filter } = options;
    const [asked, usual] = [await pagesOf(admin, { ...options, limit: SMALL_PAGE }), idsOf(await pagesOf(admin, filter))];
    const keys = idsOf(asked).map((id) => keyOf(jobs.find((job) => job.id === id) as StrewnJob));
    expect(keys).toEqual(keys.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    expect(idsOf(asked).toSorted()).toEqual(usual.toSorted());
    expect(asked[0]?.order).toBe(order);
    // A cursor belongs to its order.
    if (asked[0]?.next !== undefined) await expect(admin.list({ ...filter, after: asked[0].next })).rejects.toThrow(InvalidInputError);
  });

  it.each<ListOptions>([
    { state: 'ready', order: 'newest-first' },
    { state: 'parked', order: 'soonest-first' },
    { state: ['waiting', 'dead'], order: 'soonest-first' },
    { state: 'waiting', order: 'newest-first' },
    { state: 'dead', type: 'mail', order: 'latest-first' },
    { state: 'suspended', order: 'newest-first' },
    { state: 'dead', order: 'by-priority' as never },
    { state: 'ready', fingerprint: 'no job can match', order: 'by-priority' as never },
  ])('is refused in an order that no key gives: %j', async (options) => {
    await expect(admin.list(options)).rejects.toThrow(/order.*(newest-first)/s);
  });
});
