import { describe, expect, test } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import type { DoctorLooks, Look, TableSeen } from '../../../cli/doctor/check.ts';
import { judgeQueue, type QueueMeant } from '../../../cli/doctor/check-queues.ts';
import { judgeTable } from '../../../cli/doctor/check-tables.ts';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { resolveSettings } from '../../../shared/config/settings.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../../../shared/ports/table-spec.ts';
import type { TableName } from '../../../shared/ports/tables.ts';
import { fakeTerminal, NOON } from '../../cli/fake-terminal.ts';

const settings = resolveSettings();
const environment = {
  ...encodeEnvironment({
    tables: Object.fromEntries(TABLE_NAMES.map((name) => [name, `shop-${name}`])) as Record<TableName, string>,
    workers: {
      default: {
        lanes: { default: 'https://sqs/1/lane' },
        fifo: 'https://sqs/1/groups.fifo',
        deadLetterQueue: 'https://sqs/1/dead',
        formerly: ['main'],
      },
    },
    name: 'shop',
  }),
};

const policy = JSON.stringify({ deadLetterTargetArn: 'arn', maxReceiveCount: 100 });
const fifo = { FifoQueue: 'true', DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' };
const QUEUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'https://sqs/1/lane': { VisibilityTimeout: '1800', RedrivePolicy: policy },
  'https://sqs/1/groups.fifo': { ...fifo, VisibilityTimeout: '340', RedrivePolicy: policy },
  'https://sqs/1/dead': { ApproximateNumberOfMessages: '0', MessageRetentionPeriod: '1209600' },
};

const seen = (table: string): TableSeen => {
  const spec = TABLE_SPECS[table.replace('shop-', '') as TableName];
  return {
    status: 'ACTIVE',
    key: [spec.partition, ...(spec.sort === undefined ? [] : [spec.sort])],
    indexes: Object.fromEntries(Object.keys(spec.indexes).map((index) => [index, 'ACTIVE'])),
    deletionProtection: true,
    onDemand: true,
    sizeBytes: 0,
  };
};

const SOUND: DoctorLooks = {
  local: false,
  table: async (name) => Promise.resolve({ saw: seen(name) }),
  timeToLive: async () => Promise.resolve({ saw: 'expiresAt' }),
  pointInTimeRecovery: async () => Promise.resolve({ saw: true }),
  queue: async (url) => Promise.resolve({ saw: QUEUES[url] ?? {} }),
  clock: async () => Promise.resolve({ saw: { aheadMs: 300, withinMs: 600 } }),
};

const beat = (who: string, late = false) => ({ who, late, at: new Date(NOON), report: {} });
const worker = {
  worker: 'default',
  kind: 'lambda' as const,
  version: '1',
  types: ['a'],
  off: [],
  firstSeen: new Date(NOON),
  lastSeen: new Date(NOON),
  fresh: true,
};

interface Given {
  readonly looks?: Partial<DoctorLooks>;
  readonly beats?: readonly ReturnType<typeof beat>[];
  readonly workers?: readonly (typeof worker & { readonly batchRefusal?: string })[];
  readonly states?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly settings?: string;
}

async function doctor({
  looks = {},
  beats = [beat('sweeper'), beat('acquirer/0')],
  workers = [worker],
  states,
  args = [],
  settings: given,
}: Given) {
  const admin = {
    blockedGroups: async () => Promise.resolve({ groups: [], complete: true, readUnits: 0 }),
    heartbeats: async () => Promise.resolve(beats),
    deploymentOff: async () => Promise.resolve(undefined),
    workers: async () => Promise.resolve(workers),
  };
  const status = async () => Promise.resolve({ schedules: states ?? {}, eventSourceMappings: {} });
  const terminal = fakeTerminal({
    admin,
    environment: {
      ...environment,
      ...(given === undefined ? {} : { NIGHTCREW_SETTINGS: given }),
      ...(states === undefined ? {} : { NIGHTCREW_ACTIVATION: '{"schedules":[],"eventSourceMappings":[]}' }),
    },
    openDoctor: () => ({ ...SOUND, ...looks }),
    openActivation: async () => Promise.resolve({ status, activate: status, deactivate: status }),
  });
  const code = await runCli(['doctor', ...args], terminal.io);
  return { code, out: terminal.out() };
}

describe('the doctor', () => {
  test('finds a sound deployment in order and prints its recovery bound', async () => {
    const { code, out } = await doctor({ states: { sweeper: 'ENABLED' } });
    expect(code).toBe(0);
    expect(out).toContain(
      'is back in its queue within 6m 12s: a lease of 5m 10s and a full pass of the sweeper of 1m 2s; where its message was lost and others wait in the queue, up to 1h later',
    );
    expect(out).toMatch(/In order: \d+ ok, 0 failed, 0 warnings, 0 unknown\.\n$/);
  });

  test('warns of settings of a newer version, which this one does not judge by', async () => {
    const { code, out } = await doctor({ settings: '{"ofTomorrow":1}' });
    expect(code).toBe(0);
    expect(out).toMatch(/warning +setting ofTomorrow is not known to this version of the command line/);
  });

  test.each([
    { local: false, fresh: true, says: /makes its writes one by one, at several times the CPU: The store refuses them[^]*PartiQLUpdate/ },
    { local: false, fresh: false, says: /last seen/ },
    { local: true, fresh: true, says: /reported recently/ },
    { local: false, fresh: true, refused: 'refuses BatchWriteItem', says: /several times the CPU[^]*allow dynamodb:BatchWriteItem in/ },
    { local: false, fresh: true, refused: 'does not take UPDATE', says: /makes some writes one by one[^]*Nothing to do/ },
  ])('warns of a worker whose batches are refused now, and of none by an emulator: %j', async ({ local, fresh, refused, says }) => {
    const workers = [{ ...worker, fresh, batchRefusal: `The store ${refused ?? 'refuses them'}` }];
    const { code, out } = await doctor({ workers, looks: { local } });
    expect(out).toMatch(says);
    expect(out.includes('1 warning')).toBe(!local && fresh);
    expect(code).toBe(0);
  });

  test('warns of a worker that has reported and that the deployment does not know, but of none under a former name', async () => {
    const early = new Date(NOON - 86_400_000);
    const reported = (name: string, lastSeen: Date) => ({ ...worker, worker: name, lastSeen });
    const workers = [worker, reported('main', early), reported('mail', early), reported('mail', new Date(NOON))];
    const { code, out } = await doctor({ workers });
    expect(out).toContain(
      `worker mail is not a worker of the deployment, but reported at ${new Date(NOON).toISOString()}: jobs that name it wait`,
    );
    expect(out).toContain("If it was renamed, add formerly: ['mail'] to its new name.");
    expect(out).toContain('0 failed, 1 warnings,');
    expect(code).toBe(0);
    expect((await doctor({ workers, args: ['--strict'] })).code).not.toBe(0);
  });

  test.each<[string, Given, RegExp]>([
    ['a table that is not there', { looks: { table: async () => Promise.resolve({ absent: true }) } }, /table shop-jobs does not exist/],
    [
      'a store that does not answer',
      { looks: { table: async () => Promise.resolve({ silent: 'TimeoutError' }) } },
      /shop-jobs did not answer \(TimeoutError\)/,
    ],
    [
      'rows that never expire',
      { looks: { timeToLive: async () => Promise.resolve({ saw: undefined }) } },
      /aws dynamodb update-time-to-live --table-name shop-control/,
    ],
    [
      'no backups',
      { looks: { pointInTimeRecovery: async () => Promise.resolve({ saw: false }) } },
      /update-continuous-backups --table-name shop-jobs/,
    ],
    [
      'a clock that is wrong',
      { looks: { clock: async () => Promise.resolve({ saw: { aheadMs: -90_000, withinMs: 600 } }) } },
      /1m 30s behind DynamoDB's clock/,
    ],
    ['a queue that is not there', { looks: { queue: async () => Promise.resolve({ absent: true }) } }, /queue lane does not exist/],
    ['a sweeper that is late', { beats: [beat('sweeper', true), beat('acquirer/0')] }, /heartbeat sweeper finished its last run at/],
    ['an acquirer that never ran', { beats: [beat('sweeper')] }, /acquirer\/0 has never finished a run: timers do not fire/],
    ['a tick that is off', { states: { 'shop-sweeper': 'DISABLED' } }, /tick shop-sweeper is DISABLED\n.*nightcrew activate/],
  ])('fails for %s and says how to fix it', async (_, given, message) => {
    const { code, out } = await doctor(given);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(message) });
    expect(out).toContain('Not in order');
  });

  test('does not fail for what an emulator lacks, nor for a worker that had no job; --strict does', async () => {
    const given: Given = {
      looks: { local: true, pointInTimeRecovery: async () => Promise.resolve({ unknown: 'UnknownOperationException' }) },
      workers: [],
    };
    expect(await doctor(given)).toMatchObject({ code: 0, out: expect.stringContaining('could not be read (UnknownOperationException)') });
    expect(await doctor({ ...given, args: ['--strict'] })).toMatchObject({ code: 1 });
  });

  test('leaves out what is in order with --quiet, in JSON too', async () => {
    const given: Given = { looks: { pointInTimeRecovery: async () => Promise.resolve({ unknown: 'AccessDenied' }) } };
    expect((await doctor({ ...given, args: ['--quiet'] })).out).not.toMatch(/^ +ok /m);
    const { out } = await doctor({ ...given, args: ['--quiet', '--json'] });
    const { findings } = JSON.parse(out) as { readonly findings: readonly { readonly status: string }[] };
    expect(new Set(findings.map(({ status }) => status))).toEqual(new Set(['unknown']));
  });

  test('tells what to allow when it may not look', async () => {
    const { out } = await doctor({ looks: { queue: async () => Promise.resolve({ unknown: 'AccessDenied' }) } });
    expect(out).toContain('grantRead');
  });

  test('goes on when one check fails by itself, and says which', async () => {
    const heartbeats = async (): Promise<never> => Promise.reject(new Error('the store did not answer'));
    const terminal = fakeTerminal({
      admin: {
        blockedGroups: async () => Promise.reject(new Error('not asked')),
        heartbeats,
        workers: async () => Promise.resolve([worker]),
      },
      environment,
      openDoctor: () => SOUND,
    });
    expect(await runCli(['doctor', '--json'], terminal.io)).toBe(1);
    const { healthy, findings } = JSON.parse(terminal.out()) as {
      readonly healthy: boolean;
      readonly findings: readonly { readonly check: string; readonly says: string }[];
    };
    expect(healthy).toBe(false);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'heartbeats', says: 'could not be checked: the store did not answer' }),
    );
    expect(findings.length).toBeGreaterThan(10);
  });
});

describe('a queue', () => {
  const judged = (
    kind: QueueMeant['kind'],
    attributes: Readonly<Record<string, string>>,
    { dead = false, outside = false, own = {} } = {},
  ) => {
    const look: Look<Readonly<Record<string, string>>> = { saw: attributes };
    return judgeQueue({ worker: 'w', subject: 'q', url: 'u', kind, dead, ...own }, look, { settings, outside }).map(
      ({ status, says }) => `${status}: ${says}`,
    );
  };

  test('is in order when it hides messages as long as the timeout of its own worker asks for', () => {
    const attributes = { VisibilityTimeout: '360', RedrivePolicy: policy };
    expect(judged('standard', attributes)).toEqual([expect.stringContaining('warning: ')]);
    expect(judged('standard', attributes, { own: { timeoutMs: 60_000 } })).toEqual(['ok: hides a message for 360 s']);
  });

  test.each<[string, readonly string[], string]>([
    [
      'hides messages shorter than a lease',
      judged('standard', { VisibilityTimeout: '20', RedrivePolicy: policy }),
      'failed: hides a message for 20 s, shorter than any lease',
    ],
    [
      'hides them shorter than the settings ask for',
      judged('standard', { VisibilityTimeout: '60', RedrivePolicy: policy }),
      'warning: hides a message for 60 s',
    ],
    ['has no dead-letter queue', judged('standard', { VisibilityTimeout: '1800' }), 'failed: has no dead-letter queue'],
    [
      'gives up early',
      judged('standard', { VisibilityTimeout: '1800', RedrivePolicy: '{"deadLetterTargetArn":"a","maxReceiveCount":3}' }),
      'failed: moves a message to the dead-letter queue after 3',
    ],
    [
      'is FIFO where it must not be',
      judged('standard', { ...fifo, VisibilityTimeout: '1800', RedrivePolicy: policy }),
      'failed: is a FIFO queue',
    ],
    ['is not FIFO where it must be', judged('fifo', { VisibilityTimeout: '340', RedrivePolicy: policy }), 'failed: is not a FIFO queue'],
    [
      'is a slow FIFO',
      judged('fifo', { FifoQueue: 'true', VisibilityTimeout: '340', RedrivePolicy: policy }),
      'failed: is not in high-throughput mode',
    ],
    [
      'holds what nobody could read',
      judged('standard', { ApproximateNumberOfMessages: '2' }, { dead: true }),
      'warning: holds 2 unreadable messages',
    ],
    [
      'belongs to a worker outside Lambda',
      judged('standard', { VisibilityTimeout: '300', RedrivePolicy: policy }, { outside: true }),
      'ok: hides a message for 300 s',
    ],
  ])('that %s is found', (_, found, expected) => expect(found).toEqual([expect.stringContaining(expected)]));
});

describe('a table', () => {
  test.each<[string, Partial<TableSeen>, string]>([
    ['is another one', { key: ['pk', 'sk'] }, 'failed'],
    ['is being made', { status: 'CREATING' }, 'failed'],
    ['lacks an index', { indexes: { byType: 'ACTIVE' } }, 'failed'],
    ['builds an index', { indexes: { byType: 'ACTIVE', byFingerprint: 'CREATING' } }, 'warning'],
  ])('that %s is found', (_, change, status) => {
    expect(judgeTable(TABLE_SPECS.deadLetters, 't', { saw: { ...seen('shop-deadLetters'), ...change } })).toMatchObject([{ status }]);
  });
});
