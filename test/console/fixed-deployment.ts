import type { Admin } from '../../operate/index.ts';
import type { ListedAttempt } from '../../operate/attempts/attempt-filter.ts';
import type { MinuteStatistics } from '../../shared/features/statistics/admin/statistics.ts';
import type { ScheduleView } from '../../shared/features/schedules/admin/schedules.ts';
import { preview, parseRecurrence } from '../../shared/features/schedules/model/recurrence.ts';

/** When the fixed deployment is looked at. */
export const NOW = Date.parse('2026-03-28T12:00:00Z');
/** Markup, script, quote and a turn of the writing direction in one text. */
export const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>' onmouseover='alert(3) \u202e`;

const ago = (minutes: number): Date => new Date(NOW - minutes * 60_000);
const ID = '019a8f3e-6f00-7abc-8def-0123456789ab';

/** A deployment in which something of everything is the case, told by a fixed admin: what a page makes of it is all that is tested. */
export function fixedDeployment(overrides: Partial<Admin> = {}): Admin {
  const admin: Partial<Admin> = {
    statistics: async ({ from = new Date(0) } = {}) => minutes().filter(({ at }) => at >= from),
    heartbeats: async () => [
      { who: 'acquirer/0', at: ago(0.2), late: false, report: { fired: 12, lagMs: 140 } },
      {
        who: 'sweeper',
        at: ago(9),
        late: true,
        report: { jobs: 1_234, overdue: 56, oldestWaitMs: 1_980_000, seenAt: ago(9).toISOString() },
      },
    ],
    limitNumbers: async () => [
      { limit: 'payments-api', n: 0, coded: 5, workers: ['default'], set: { n: 0, actor: 'anna', at: ago(9), reason: HOSTILE } },
      { limit: 'mails', n: 100, coded: 100, perMs: 60_000, workers: ['default', 'mail'] },
      { limit: HOSTILE, n: 3, workers: [], set: { n: 3, actor: HOSTILE, at: ago(90) } },
      { limit: 'damaged', workers: [], set: { actor: 'ben', at: ago(900) } },
    ],
    limits: async () => ({
      limits: [
        { limit: 'payments-api', hash: 'a1b2', held: 5, parked: 120, exact: false },
        { limit: `tenant ${HOSTILE}`, hash: 'c3d4', held: 1, parked: 3, exact: true },
      ],
      complete: false,
      readUnits: 500,
    }),
    errorGroups: async () => ({
      groups: [group('TimeoutError', 'connect timed out after 3000 ms', 812), group('TypeError', HOSTILE, 3)],
      readUnits: 1,
    }),
    count: async () => ({
      ready: 40,
      running: 8,
      waiting: 120_000,
      parked: 123,
      suspended: 77,
      dead: 815,
      finished: 0,
      total: 121_063,
      complete: false,
      readUnits: 10_000,
    }),
    workers: async () => [
      {
        worker: 'default',
        kind: 'lambda',
        version: '42',
        types: ['invoice.render', 'webhook.deliver'],
        off: ['webhook.deliver'],
        firstSeen: ago(4_000),
        lastSeen: ago(2),
        fresh: true,
      },
      {
        worker: 'films',
        kind: 'outside',
        version: '1.4.0',
        types: ['film.render'],
        off: [],
        firstSeen: ago(9_000),
        lastSeen: ago(300),
        fresh: false,
      },
    ],
    types: async () => ({
      types: [
        {
          type: HOSTILE,
          workers: [{ worker: 'films', kind: 'outside', versions: ['1.4.0'], current: false, off: true, lastSeen: ago(300) }],
          deadLetters: 815,
          suspended: true,
          handlerMissing: true,
        },
      ],
      anyType: [HOSTILE],
      complete: false,
      readUnits: 500,
    }),
    suspensions: async () => [
      { scope: 'type#webhook.deliver@default', reason: 'receiver is down', actor: 'anna', state: 'in-force', at: ago(30) },
      { scope: `tenant#${HOSTILE}`, reason: HOSTILE, actor: HOSTILE, state: 'scheduled', at: ago(10), from: ago(-60), until: ago(-120) },
      { scope: 'all', reason: 'migration', actor: 'ben', state: 'over', at: ago(600), until: ago(500) },
    ],
    priorities: async () => [
      { scope: 'type#invoice.render', priority: 20, actor: 'anna', at: ago(30), cascade: true, default: false },
      { scope: `tenant#${HOSTILE}`, priority: -5, actor: HOSTILE, at: ago(90), cascade: false, default: true },
    ],
    blockedGroups: async () => ({
      groups: [
        {
          group: 'order-17',
          since: ago(1),
          until: ago(-2),
          heldBy: { id: ID, type: 'invoice.render', worker: 'default', attempt: 2 },
          waiting: 14,
          oldestDueAt: ago(3),
        },
        { group: HOSTILE, since: ago(2), until: ago(-1), waiting: 1, oldestDueAt: ago(1) },
      ],
      complete: false,
      readUnits: 2_500,
    }),
    acquireLocks: async () => [
      { shard: '0a', lockOwner: 'acquirer/x', takenAt: ago(0.1), lockExpiresAt: ago(-1), expired: false },
      { shard: '3f', lockOwner: HOSTILE, expired: true },
    ],
    batches: async ({ after } = {}) => ({
      batches: after === undefined ? [batch('month-end', 'sealed', 70), batch(HOSTILE, 'open', 0)] : [],
      ...(after === undefined ? { next: 'b-2' } : {}),
    }),
    statisticsBy: async (kind) => ({
      sums: [
        { name: kind === 'type' ? 'invoice.render' : 'acme', started: 12_345, completed: 12_000, retried: 300, dead: 45, runMs: 1_250 },
        { name: HOSTILE, started: 3, completed: 3, retried: 0, dead: 0 },
        { started: 9, completed: 8, retried: 0, dead: 1, runMs: 30 },
      ],
    }),
    attempts: async ({ after } = {}) => ({
      attempts: after === undefined ? ATTEMPTS : [],
      ...(after === undefined ? { next: 'd-2' } : {}),
      readUnits: 1_034,
      order: 'newest-first',
      dueFrom: ago(2_880),
      dueTo: ago(-1),
    }),
    auditPage: async () => ({
      entries: [
        { verb: 'redriveMany', actor: 'anna', at: ago(5), scope: 'type=invoice.render', reason: HOSTILE },
        { verb: 'suspend', actor: HOSTILE, at: ago(30), scope: `tenant#${HOSTILE}`, detail: 'until noon' },
        { verb: 'runNow', actor: 'ben', at: ago(60), jobId: ID, type: 'film.render' },
      ],
      next: 'c-2',
    }),
    schedules: {
      list: async () => ({ schedules: SCHEDULES, unreadable: ['broken'], after: 'report.daily' }),
      get: async (name: string) => SCHEDULES.find((one) => one.name === name),
      preview: async (name: string, { count = 10 }: { readonly count?: number } = {}) =>
        preview(parseRecurrence(SCHEDULES.find((one) => one.name === name)?.definition.recurrence ?? { every: 'PT1H' }), NOW, count),
      pause: async (name: string) => name === 'report.daily',
      resume: async (name: string) => name === 'cleanup',
      runNow: async (name: string) => (name === 'report.daily' ? ID : undefined),
    } as unknown as Admin['schedules'],
    ...overrides,
  };
  return admin as Admin;
}

/** A day of minutes with a morning in which much failed. */
function minutes(): readonly MinuteStatistics[] {
  return Array.from({ length: 1_440 }, (_, minute) => {
    const bad = minute > 1_000 && minute < 1_060;
    return {
      at: ago(1_440 - minute),
      started: 60,
      completed: Math.round(50 + 30 * Math.sin(minute / 60)),
      retried: bad ? 20 : 1,
      dead: bad ? 8 : 0,
      cancelled: 0,
      expired: 0,
      skipped: 0,
      snoozed: 0,
      crashed: 0,
      fired: 4,
      delayMs: { p50: bad ? 900 : 120 + (minute % 7) * 10, p95: bad ? 8_000 : 400 + (minute % 11) * 30, max: 9_000 },
    };
  });
}

const ATTEMPTS: readonly ListedAttempt[] = [
  attempt('completed', 0.4, {}),
  attempt('retried', 30, { fingerprint: 'TimeoutError-1', error: { name: 'TimeoutError', message: 'connect timed out', at: ago(4) } }),
  attempt('dead-lettered', 1, {
    type: HOSTILE,
    worker: HOSTILE,
    tenant: HOSTILE,
    reason: HOSTILE,
    fingerprint: 'TypeError-1',
    error: { name: HOSTILE, message: HOSTILE, at: ago(4) },
  }),
  attempt('lost-lease', 900, { tenant: 'acme' }),
];

function attempt(outcome: ListedAttempt['outcome'], seconds: number, more: Partial<ListedAttempt>): ListedAttempt {
  const [startedAt, endedAt] = [ago(20), new Date(ago(20).getTime() + seconds * 1_000)];
  const run = { attempt: 2, startedAt, endedAt, runMs: seconds * 1_000, requestId: 'request-1' };
  return { jobId: ID, type: 'invoice.render', worker: 'default', outcome, ...run, ...more };
}

const group = (errorName: string, message: string, open: number) => ({
  fingerprint: `${errorName}-1`,
  type: 'invoice.render',
  errorName,
  message,
  state: 'open' as const,
  open,
  seen: open + 10,
  redriven: 10,
  deleted: 0,
  firstSeen: ago(500),
  lastSeen: ago(1),
  sample: ID,
});

const batch = (name: string, state: 'open' | 'sealed', succeeded: number) => ({
  id: `b-${state}`,
  name,
  tenant: 'acme',
  state,
  total: 100,
  succeeded,
  failed: 2,
  cancelled: 0,
  pending: 98 - succeeded,
  fired: [],
  createdAt: ago(90),
});

const schedule = (name: string, recurrence: ScheduleView['definition']['recurrence'], more: Partial<ScheduleView>): ScheduleView => ({
  name,
  type: 'report.build',
  origin: 'code',
  definition: {
    name,
    type: 'report.build',
    worker: 'default',
    schemaVersion: 1,
    payload: '{"password":"s3cret","size":1}',
    recurrence,
    missed: 'coalesce',
    overlap: 'skip',
    jitterMs: 0,
  },
  hash: 'its-hash',
  createdAt: ago(100_000),
  runs: 31,
  firedAhead: 0,
  missed: 1,
  skipped: 0,
  ...more,
});

const SCHEDULES: readonly ScheduleView[] = [
  // The clocks of Berlin skip half past two in the next night.
  schedule(
    'report.daily',
    { cron: '30 2 * * *', zone: 'Europe/Berlin' },
    { lastAt: ago(600), next: { id: ID, at: ago(-870), dueAt: ago(-870) } },
  ),
  schedule('cleanup', { every: 'PT15M' }, { origin: 'operator', paused: { at: ago(45), reason: HOSTILE, actor: 'anna' } }),
];
