import { type Price, PRICES, type PriceName } from './prices.ts';
import { ALARM_METRICS, IDLE_TICK, JOB_COUNTS, METRICS, SANDBOX_MONTH } from './unit-counts.ts';

/** What a deployment of one worker with one lane and default settings runs in a month of 30 days. */
export interface Work {
  /** Due at once or within the delay horizon. */
  readonly jobs: number;
  /** Due later, after thirty days on average. */
  readonly timers: number;
  /** Size of a stored job, in KB. */
  readonly itemKb: number;
  /** Jobs for each send and for each delivery, 1 to 10. */
  readonly perBatch: number;
  /** Kept for three days. */
  readonly history: 'off' | 'outcome' | 'durable';
  /** Metrics, alarms, traces and dashboard as by default, or none of them. */
  readonly monitoring: boolean;
}

/** Part of a bill. */
export type BillPart = 'jobs' | 'idle' | 'monitoring';

/** A quantity and its cost in US dollars. */
export interface BillLine {
  readonly part: BillPart;
  readonly what: string;
  readonly price: PriceName;
  readonly amount: number;
  readonly usd: number;
}

/** Nothing to do. */
export const IDLE: Work = { jobs: 0, timers: 0, itemKb: 1, perBatch: 10, history: 'outcome', monitoring: true };

/** Values that are assumed, not measured. Totals depend on them, so they are printed with each. */
const ASSUMED = {
  executorMs: 25,
  tickMs: 150,
  memoryGb: 0.5,
  logBytes: 1_500,
  /** Pollers of a queue, and long polls of 20 s in a minute. */
  pollers: 5,
  pollsPerMinute: 3,
  tracedOthers: 0.05,
  historyDays: 3,
  /** Size of a row of 1 KB, with what DynamoDB adds for its indexes. */
  storedBytes: 1_124,
} as const;

/** The same for people. */
export const ASSUMPTIONS: readonly string[] = [
  'a month has 30 days, jobs come evenly spread over it, and a timer waits for 30 days',
  `the executor spends ${ASSUMED.executorMs} ms on a batch besides its handlers, a tick with nothing to do takes ${ASSUMED.tickMs} ms`,
  `an invocation logs ${ASSUMED.logBytes} bytes; what handlers log comes on top`,
  `Lambda watches each queue with ${ASSUMED.pollers} long polls of 20 s`,
  'X-Ray records the first request of a second and 5 % of the others',
];

const MINUTES = 43_200;
const SECONDS = MINUTES * 60;

/** The bill of a month, item by item, at list prices. */
export function monthLines(work: Work): readonly BillLine[] {
  return [...jobLines(work), ...idleLines(), ...monitoringLines(work)].filter(({ amount }) => amount > 0);
}

/** The sum of lines, not rounded. */
export function total(lines: readonly BillLine[]): number {
  return lines.reduce((sum, { usd }) => sum + usd, 0);
}

/** The cost of a quantity. */
export function dollars(price: PriceName, amount: number): number {
  const { usd, per }: Price = PRICES[price];
  return (amount * usd) / per;
}

function line(part: BillPart, what: string, price: PriceName, amount: number): BillLine {
  return { part, what, price, amount, usd: dollars(price, amount) };
}

function invocationsOf({ jobs, timers, perBatch }: Work): number {
  return (jobs + timers) / perBatch;
}

function jobLines(work: Work): readonly BillLine[] {
  const { jobs, timers, itemKb, perBatch, history } = work;
  const { plain, plainWithHistory, plainWithDurableHistory, farTimer } = JOB_COUNTS;
  const kept = { off: 0, outcome: plainWithHistory - plain, durable: plainWithDurableHistory - plain }[history];
  const invocations = invocationsOf(work);
  const sandboxes = Math.max(1, (invocations * ASSUMED.executorMs) / 1_000 / SECONDS);
  const atMost = (each: number): number => Math.min(invocations, each * sandboxes);
  const shards = busyShards(timers);
  // An acquirer sends the timers of a shard together, ten at most in a request.
  const sends = jobs / perBatch + Math.min(timers, Math.max(timers / 10, shards * MINUTES));
  const rows = timers + (history === 'off' ? 0 : ((jobs + timers) * ASSUMED.historyDays) / 30);
  const gigabytes = (rows * (ASSUMED.storedBytes + (itemKb - 1) * 1_024)) / 1e9;
  return [
    line('jobs', `jobs: ${plain} writes each`, 'writeUnit', jobs * plain * itemKb),
    line('jobs', `timers: ${farTimer} writes each`, 'writeUnit', timers * farTimer * itemKb),
    line('jobs', `history, ${history}`, 'writeUnit', (jobs + timers) * kept * itemKb),
    line('jobs', 'sends, receives and deletes', 'standardRequest', sends + (jobs + timers) * (2 / perBatch)),
    line('jobs', 'invocations of executors', 'invocation', invocations),
    line('jobs', 'run time of executors', 'gbSecond', (invocations * ASSUMED.executorMs * ASSUMED.memoryGb) / 1_000),
    ...logLines('jobs', 'logs of executors', invocations),
    line('jobs', 'locks of shards with due timers, at most', 'writeUnit', shards * IDLE_TICK.lockOfShard * MINUTES),
    line(
      'jobs',
      'statistics and reports of sandboxes, at most',
      'writeUnit',
      atMost(SANDBOX_MONTH.statistics) + atMost(SANDBOX_MONTH.reports),
    ),
    line('jobs', 'rules that sandboxes ask for, at most', 'readUnit', atMost(SANDBOX_MONTH.ruleReads) / 2),
    line('jobs', 'timers and history in tables', 'tableStorage', gigabytes),
    line('jobs', 'the same, restorable to any second', 'pointInTimeRecovery', gigabytes),
  ];
}

/** Shards in which something is due at a tick, on average, when timers fall due at random. */
function busyShards(timers: number): number {
  const { shards } = IDLE_TICK.acquirer;
  return shards * (1 - Math.exp(-timers / MINUTES / shards));
}

/** Written once, kept for a month. */
function logLines(part: BillPart, what: string, invocations: number): readonly BillLine[] {
  const gigabytes = (invocations * ASSUMED.logBytes) / 1e9;
  return [line(part, what, 'logIngestion', gigabytes), line(part, `${what}, kept`, 'logStorage', gigabytes)];
}

function idleLines(): readonly BillLine[] {
  const { acquirer, sweeper } = IDLE_TICK;
  const ticks = 2 * MINUTES;
  const reads = acquirer.shards * acquirer.readUnitsPerShard + acquirer.otherReadUnits + sweeper.readUnits;
  return [
    line('idle', 'polling of the queue', 'standardRequest', ASSUMED.pollers * ASSUMED.pollsPerMinute * MINUTES),
    line('idle', 'ticks of acquirer and sweeper', 'scheduledTick', ticks),
    line('idle', 'their invocations', 'invocation', ticks),
    line('idle', 'their run time', 'gbSecond', (ticks * ASSUMED.tickMs * ASSUMED.memoryGb) / 1_000),
    line('idle', 'looks at shards, leases and lists', 'readUnit', reads * MINUTES),
    line('idle', 'their heartbeats', 'writeUnit', (acquirer.writeUnits + sweeper.writeUnits) * MINUTES),
    ...logLines('idle', 'their logs', ticks),
  ];
}

function monitoringLines(work: Work): readonly BillLine[] {
  if (!work.monitoring) return [];
  const invocations = invocationsOf(work);
  const perSecond = invocations / SECONDS;
  const traced = SECONDS * (Math.min(1, perSecond) + ASSUMED.tracedOthers * Math.max(0, perSecond - 1));
  return [
    line('monitoring', 'metrics of a worker', 'ownMetric', invocations > 0 ? METRICS.worker : 0),
    line('monitoring', 'metrics of timers', 'ownMetric', work.timers > 0 ? METRICS.timers : 0),
    line('monitoring', 'traces of executors, at most', 'trace', traced),
    line('monitoring', 'metrics of heartbeats and ages', 'ownMetric', METRICS.acquirer + METRICS.sweeper),
    line('monitoring', 'alarms', 'alarmMetric', ALARM_METRICS),
    line('monitoring', 'dashboard', 'dashboard', 1),
  ];
}
