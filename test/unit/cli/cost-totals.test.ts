import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { total, withFreeTiers } from '../../../cli/cost/bill.ts';
import { EXTRAS } from '../../../cli/cost/extras.ts';
import { idleLines } from '../../../cli/cost/idle-lines.ts';
import { oneLane } from '../../../cli/cost/idle-parts.ts';
import { jobLines } from '../../../cli/cost/job-lines.ts';
import { countText, moneyText, priceText } from '../../../cli/cost/money.ts';
import { peers } from '../../../cli/cost/peers.ts';
import { PRICE_TABLE, PRICES } from '../../../cli/cost/prices.ts';
import { partsOfTemplate } from '../../../cli/cost/read-template.ts';
import { EMPTY_WORKLOAD, type Workload } from '../../../cli/cost/workload.ts';

const BARE = oneLane({ alarms: false, dashboard: false, metrics: false, tracing: false });
const ofJobs = (work: Partial<Workload>, parts = BARE) => jobLines({ ...EMPTY_WORKLOAD, history: 'off', ...work }, parts);
const usdOf = (lines: ReturnType<typeof jobLines>, what: string): number | undefined => lines.find((line) => line.what === what)?.usd;

describe('a million plain jobs in tens', () => {
  const lines = ofJobs({ jobs: 1_000_000 });

  test('cost what a pocket calculator says', () => {
    expect(usdOf(lines, 'jobs: 3 writes each')).toBeCloseTo(3 * 0.625, 10);
    expect(usdOf(lines, 'sends, receives and deletes')).toBeCloseTo(0.3 * 0.4, 10);
    expect(usdOf(lines, 'invocations of executors')).toBeCloseTo(0.02, 10);
    // 100,000 batches of 25 ms with half a GB.
    expect(usdOf(lines, 'run time of executors')).toBeCloseTo(1_250 * 0.0000133334, 10);
    expect(usdOf(lines, 'logs of executors')).toBeCloseTo(0.15 * 0.5, 10);
    expect(usdOf(lines, 'statistics and reports of sandboxes, at most')).toBeCloseTo(0.1 * 0.625 + 0.00864 * 0.625, 10);
    expect(total(lines)).toBeCloseTo(1.875 + 0.12 + 0.02 + 0.01666675 + 0.075 + 0.0045 + 0.0679 + 0.00625, 8);
  });

  test('pay for each message and each invocation when they come one by one', () => {
    const apart = ofJobs({ jobs: 1_000_000, perSend: 1, perBatch: 1 });
    expect(usdOf(apart, 'sends, receives and deletes')).toBeCloseTo(3 * 0.4, 10);
    expect(usdOf(apart, 'invocations of executors')).toBeCloseTo(0.2, 10);
  });

  test('pay a write for each KB, one more with history and five more with a durable one', () => {
    const large = ofJobs({ jobs: 1_000_000, itemKb: 4, history: 'outcome' });
    expect(usdOf(large, 'jobs: 3 writes each')).toBeCloseTo(12 * 0.625, 10);
    expect(usdOf(large, 'history, outcome')).toBeCloseTo(4 * 0.625, 10);
    expect(usdOf(ofJobs({ jobs: 1_000_000, history: 'durable' }), 'history, durable')).toBeCloseTo(5 * 0.625, 10);
  });

  test('are swept every minute for as long as they lie there', () => {
    // 10,000 rows of 1 KB: 1,250 read units a minute.
    expect(usdOf(ofJobs({ backlog: 10_000 }), 'sweeps of the backlog')).toBeCloseTo((1_250 * 43_200 * 0.125) / 1e6, 10);
  });
});

describe('a million timers', () => {
  const lines = ofJobs({ timers: 1_000_000 });

  test('pay seven writes each, the locks of their shards and a month in the table', () => {
    expect(usdOf(lines, 'timers: 7 writes each')).toBeCloseTo(4.375, 10);
    // 23.1 are due in a minute, so that 19.4 of the 64 shards have some; each is locked and let go.
    expect(usdOf(lines, 'locks of shards with due timers, at most')).toBeCloseTo((19.4241 * 2 * 43_200 * 0.625) / 1e6, 3);
    expect(usdOf(lines, 'timers, history and backlog in tables')).toBeCloseTo(1.124 * 0.25, 10);
    expect(usdOf(lines, 'the same, restorable to any second')).toBeCloseTo(1.124 * 0.2, 10);
  });

  test('wait for half a month at half the price of storage', () => {
    expect(usdOf(ofJobs({ timers: 1_000_000, timerDays: 15 }), 'timers, history and backlog in tables')).toBeCloseTo(0.562 * 0.25, 10);
  });
});

describe('what some of the jobs use', () => {
  test('costs what docs/operate/costs.md says beyond a plain job', () => {
    const lines = ofJobs({
      jobs: 1_000_000,
      also: new Map([
        ['unique-key', 500_000],
        ['failed-attempt', 100_000],
      ]),
    });
    expect(usdOf(lines, 'unique-key: writes')).toBeCloseTo(0.5 * 6 * 0.625, 10);
    expect(usdOf(lines, 'failed-attempt: writes')).toBeCloseTo(0.1 * 2 * 0.625, 10);
    expect(usdOf(lines, 'the same of what is delivered again')).toBeCloseTo(0.1 * 1.2 * 0.4, 10);
  });

  test('pays for each KB where it writes the job itself, and for a row of its own otherwise', () => {
    const lines = ofJobs({
      jobs: 1_000_000,
      itemKb: 4,
      also: new Map([
        ['snooze', 1_000_000],
        ['group', 1_000_000],
      ]),
    });
    expect(usdOf(lines, 'snooze: writes')).toBeCloseTo(4 * 2 * 0.625, 10);
    expect(usdOf(lines, 'group: writes')).toBeCloseTo(2 * 0.625, 10);
  });

  test('moves requests of groups to a FIFO queue, and adds the fair queue of tenants', () => {
    const lines = ofJobs({
      jobs: 1_000_000,
      also: new Map([
        ['group', 1_000_000],
        ['tenant', 1_000_000],
      ]),
    });
    expect(usdOf(lines, 'sends, receives and deletes')).toBeUndefined();
    expect(usdOf(lines, 'the same of grouped jobs')).toBeCloseTo(0.3 * 0.5, 10);
    expect(usdOf(lines, 'fair queue for tenants')).toBeCloseTo(0.3 * 0.1, 10);
  });

  test('never costs less than nothing', () => {
    for (const [name, { writeUnits, deliveries }] of EXTRAS) expect([name, writeUnits >= 0 && deliveries >= 0]).toEqual([name, true]);
  });
});

test('twice the work costs as much at least, and twice as much at most', () => {
  const count = fc.integer({ min: 0, max: 1e10 });
  fc.assert(
    fc.property(count, count, fc.nat(1e6), fc.constantFrom('off', 'outcome', 'durable'), (jobs, timers, backlog, history) => {
      const usd = (times: number): number =>
        total(ofJobs({ jobs: jobs * times, timers: timers * times, backlog: backlog * times, history }, oneLane()));
      // Metrics are paid once, whatever they count.
      const metrics = 8 * PRICES.ownMetric.usd;
      expect(usd(1)).toBeGreaterThanOrEqual(0);
      expect(usd(2)).toBeGreaterThanOrEqual(usd(1));
      expect(usd(2)).toBeLessThanOrEqual(2 * usd(1) * (1 + 1e-9) + metrics);
    }),
    { numRuns: 200 },
  );
});

describe('a stack that waits', () => {
  test('with one lane and no alarms or dashboard costs less than a dollar: 80 cents', () => {
    // polls + ticks + invocations + run time + reads + heartbeats + logs
    const polls = 0.648 * 0.4;
    const ticks = 0.0864 * (1 + 0.2) + 6_480 * 0.0000133334;
    const rows = (43_200 * (33 + 9) * 0.125 + 86_400 * 0.625) / 1e6;
    const logs = 0.1296 * 0.53;
    expect(total(idleLines(BARE))).toBeCloseTo(polls + ticks + rows + logs, 8);
    expect(total(idleLines(BARE))).toBeLessThan(1);
  });

  test('pays for alarms and dashboard one by one, and for metrics where one of them reads those', () => {
    const more = (choices: Parameters<typeof oneLane>[0]) =>
      total(idleLines(oneLane({ alarms: false, dashboard: false, metrics: false, tracing: false, ...choices }))) - total(idleLines(BARE));
    expect(more({ metrics: true, tracing: true })).toBe(0);
    expect(more({ dashboard: true })).toBeCloseTo(3, 8);
    expect(more({ dashboard: true, metrics: true })).toBeCloseTo(3 + 4 * 0.3, 8);
    expect(more({ alarms: true, metrics: true })).toBeCloseTo(1.2 + 27 * 0.1, 8);
    expect(more({ fifo: true })).toBeCloseTo(0.648 * 0.5, 8);
  });

  test('costs next to nothing where free tiers are left, and each of them is used once', () => {
    const free = withFreeTiers(idleLines(oneLane({ fifo: true })));
    // 648,000 requests of each queue: 296,000 of the second one are beyond the million. 19 of 29 metrics under alarms are paid.
    expect(free.find(({ price }) => price === 'fifoRequest')?.usd).toBeCloseTo(0.296 * 0.5, 8);
    expect(free.find(({ price }) => price === 'alarmMetric')?.usd).toBeCloseTo(1.9, 8);
    expect(free.find(({ price }) => price === 'dashboard')?.usd).toBe(0);
  });
});

describe('a template', () => {
  const fn = (memory: number) => ({ Type: 'AWS::Lambda::Function', Properties: { MemorySize: memory, TracingConfig: { Mode: 'Active' } } });
  const source = (arn: unknown, more: object = {}) => ({
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: arn, FunctionName: { Ref: 'Alias' }, ...more },
  });

  test('is read with care: sources that are off, queues of others, warm sandboxes, math under alarms, unknown types', () => {
    const parts = partsOfTemplate({
      Resources: {
        Fn: fn(1_024),
        Alias: {
          Type: 'AWS::Lambda::Alias',
          Properties: { FunctionName: { Ref: 'Fn' }, ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 3 } },
        },
        On: source('arn:aws:sqs:eu-west-1:1:theirs.fifo'),
        Off: source({ 'Fn::GetAtt': ['Queue', 'Arn'] }, { Enabled: false }),
        Fast: { Type: 'AWS::CloudWatch::Alarm', Properties: { Period: 10 } },
        Math: { Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics: [{ Expression: 'a+b' }, { MetricStat: {} }, { MetricStat: {} }] } },
        Cache: { Type: 'AWS::ElastiCache::CacheCluster', Properties: {} },
        Off2: { Type: 'AWS::Scheduler::Schedule', Properties: { State: 'DISABLED', ScheduleExpression: 'rate(1 minute)' } },
      },
    });
    expect(parts).toMatchObject({
      queues: { standard: 0, fifo: 1 },
      ticks: [],
      alarmMetrics: 2,
      fastAlarmMetrics: 1,
      warmGb: 3,
      executor: { memoryMb: 1_024, traced: true },
      unknown: ['AWS::ElastiCache::CacheCluster'],
    });
    expect(usdOf(idleLines(parts), 'sandboxes kept warm')).toBeCloseTo(3 * 2_592_000 * 0.0000033334, 8);
  });
});

test('every price is dated, has a source, and is more than nothing', () => {
  for (const [name, { usd, per, source, seen }] of Object.entries(PRICES)) {
    expect([name, usd > 0 && per > 0]).toEqual([name, true]);
    expect(source).toMatch(/^https:\/\//);
    expect(seen).toMatch(/^2026-\d\d$/);
    expect(seen <= PRICE_TABLE.asOf).toBe(true);
  }
});

test('others charge what a pocket calculator says for ten million jobs and a million timers', () => {
  const byName = new Map(peers({ jobs: 10_000_000, timers: 1_000_000 }).map(({ name, usd }) => [name, usd]));
  const queue = 3 * 0.4 + 1.2 * 0.4 + 1.1 * 0.2;
  expect(byName.get('EventBridge Scheduler + SQS + Lambda')).toBeCloseTo(queue + 1, 8);
  expect(byName.get('the same with a row for each job that you write yourself')).toBeCloseTo(queue + 1 + 33 * 0.625, 8);
  expect(byName.get('Step Functions Standard')).toBeCloseTo(12 * 25 + 2.2, 8);
  expect(byName.get('Step Functions Express')).toBeCloseTo(11 + 1 + 2.2 + 68_750 * 0.00001667, 8);
  expect(byName.get('Lambda durable functions')).toBeCloseTo(23 * 8 + 22 * 0.25 + (22 * 14 * 0.15) / 30 + 2.4, 8);
  expect(byName.get('Google Cloud Tasks')).toBeCloseTo(22 * 0.4, 8);
  expect(byName.get('QStash')).toBeCloseTo(110, 8);
  expect(byName.get('Trigger.dev')).toBeCloseTo(275 + 1_100_000 * 0.0000169, 8);
  expect(byName.get('Inngest')).toBeCloseTo(75 + 10 * 50, 8);
  expect(byName.get('Temporal Cloud')).toBeCloseTo(23 * 50 * 1.1, 8);
});

test('money, counts and prices are written as people read them', () => {
  expect([0, 0.004, 0.005, 1_234.5].map(moneyText)).toEqual(['$0.00', '< $0.01', '$0.01', '$1,234.50']);
  expect([0.1296, 10, 1_296_000].map(countText)).toEqual(['0.13', '10', '1,296,000']);
  expect([PRICES.writeUnit, PRICES.gbSecond, PRICES.qstashMessage].map(priceText)).toEqual([
    '$0.625 a million',
    '$0.0000133334',
    '$1.00 for 100,000',
  ]);
});
