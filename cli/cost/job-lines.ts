import { ASSUMED, MONTH_MINUTES } from './assumptions.ts';
import { billLine, type BillLine } from './bill.ts';
import { EXTRAS } from './extras.ts';
import { logLines } from './idle-lines.ts';
import type { IdleParts } from './idle-parts.ts';
import { IDLE_TICK, JOB_COUNTS, METRICS, SANDBOX_MONTH } from './unit-counts.ts';
import type { Workload } from './workload.ts';

const MONTH_SECONDS = MONTH_MINUTES * 60;
/** The stored size of a row, with the overhead of a DynamoDB index per item. */
const STORED_BYTES = 1_124;

/** The cost of a month's jobs, in addition to the idle cost. */
export function jobLines(work: Workload, parts: IdleParts): readonly BillLine[] {
  const load = loadOf(work, parts);
  return [
    ...writeLines(work),
    ...requestLines(work),
    ...runLines(load, parts),
    ...upkeepLines(work, load),
    ...storageLines(work),
    ...watchLines(work, load, parts),
  ].filter(({ amount }) => amount > 0);
}

interface Load {
  readonly deliveries: number;
  readonly invocations: number;
  readonly batchMs: number;
  /** Busy at the same time, on average; at least one when there is any job. */
  readonly sandboxes: number;
}

function loadOf({ jobs, timers, also, perBatch, handlerMs }: Workload, parts: IdleParts): Load {
  const deliveries = jobs + timers + alsoSum(also, ({ deliveries: each }) => each);
  const invocations = parts.executor.memoryMb === 0 ? 0 : deliveries / perBatch;
  const batchMs = ASSUMED.executorMs + handlerMs;
  return {
    deliveries,
    invocations,
    batchMs,
    sandboxes: invocations === 0 ? 0 : Math.max(1, (invocations * batchMs) / 1_000 / MONTH_SECONDS),
  };
}

function alsoSum(also: Workload['also'], of: (extra: NonNullable<ReturnType<typeof EXTRAS.get>>) => number): number {
  return [...also].reduce((sum, [name, count]) => {
    const extra = EXTRAS.get(name);
    return extra === undefined ? sum : sum + count * of(extra);
  }, 0);
}

function writeLines({ jobs, timers, itemKb, history, also }: Workload): readonly BillLine[] {
  const kept = { off: 0, outcome: 1, durable: JOB_COUNTS.plainWithDurableHistory - JOB_COUNTS.plain }[history];
  return [
    billLine('jobs', `jobs: ${JOB_COUNTS.plain} writes each`, 'writeUnit', jobs * JOB_COUNTS.plain * itemKb),
    billLine('jobs', `timers: ${JOB_COUNTS.farTimer} writes each`, 'writeUnit', timers * JOB_COUNTS.farTimer * itemKb),
    billLine('jobs', `history, ${history}`, 'writeUnit', (jobs + timers) * kept * itemKb),
    ...[...also].map(([name, count]) => {
      const { writeUnits = 0, ofRow = false } = EXTRAS.get(name) ?? {};
      return billLine('jobs', `${name}: writes`, 'writeUnit', count * writeUnits * (ofRow ? itemKb : 1));
    }),
  ];
}

/** Sends in batches, those of repeated deliveries by themselves; receives and deletes with as many as an executor gets, ten at most. */
function requestLines({ jobs, timers, also, perSend, perBatch }: Workload): readonly BillLine[] {
  const taken = 2 / Math.min(10, perBatch);
  // An acquirer sends the timers of a shard together, ten at most in a request.
  const sends = jobs / Math.min(10, perSend) + Math.min(timers, Math.max(timers / 10, busyShards(timers) * MONTH_MINUTES));
  const repeated = alsoSum(also, ({ deliveries }) => deliveries);
  const each = 1 / Math.min(10, perSend) + taken;
  const grouped = (also.get('group') ?? 0) * each;
  return [
    billLine('jobs', 'sends, receives and deletes', 'standardRequest', Math.max(0, sends + (jobs + timers) * taken - grouped)),
    billLine('jobs', 'the same of grouped jobs', 'fifoRequest', grouped),
    billLine('jobs', 'the same of what is delivered again', 'standardRequest', repeated * (1 + taken)),
    billLine('jobs', 'fair queue for tenants', 'fairRequest', (also.get('tenant') ?? 0) * each),
  ];
}

function runLines({ invocations, batchMs }: Load, { executor }: IdleParts): readonly BillLine[] {
  return [
    billLine('jobs', 'invocations of executors', 'invocation', invocations),
    billLine('jobs', 'run time of executors', 'gbSecond', (invocations * batchMs * executor.memoryMb) / 1_024_000),
    ...logLines('jobs', 'logs of executors', invocations),
  ];
}

/** Shards in which something is due at a tick, on average, when timers fall due at random. */
function busyShards(timers: number): number {
  const { shards } = IDLE_TICK.acquirer;
  return shards * (1 - Math.exp(-timers / MONTH_MINUTES / shards));
}

/** Costs that depend on time rather than on jobs: locks of shards with due timers, statistics, rules, and the sweeper's scan of Jobs. */
function upkeepLines({ timers, backlog, itemKb }: Workload, { invocations, sandboxes }: Load): readonly BillLine[] {
  const atMost = (each: number): number => Math.min(invocations, each * sandboxes);
  const told = atMost(SANDBOX_MONTH.statistics) + atMost(SANDBOX_MONTH.reports);
  return [
    billLine('jobs', 'locks of shards with due timers, at most', 'writeUnit', busyShards(timers) * IDLE_TICK.lockOfShard * MONTH_MINUTES),
    billLine('jobs', 'statistics and reports of sandboxes, at most', 'writeUnit', told),
    billLine('jobs', 'rules that sandboxes ask for, at most', 'readUnit', atMost(SANDBOX_MONTH.ruleReads) / 2),
    // A page read eventually consistent costs half a unit for 4 KB.
    billLine('jobs', 'sweeps of the backlog', 'readUnit', (backlog * itemKb * MONTH_MINUTES) / 8),
  ];
}

function storageLines({ timers, timerDays, jobs, history, historyDays, backlog, itemKb }: Workload): readonly BillLine[] {
  const kept = history === 'off' ? 0 : ((jobs + timers) * historyDays) / 30;
  const rows = (timers * timerDays) / 30 + kept + backlog;
  const gigabytes = (rows * (STORED_BYTES + (itemKb - 1) * 1_024)) / 1e9;
  return [
    billLine('jobs', 'timers, history and backlog in tables', 'tableStorage', gigabytes),
    billLine('jobs', 'the same, restorable to any second', 'pointInTimeRecovery', gigabytes),
  ];
}

function watchLines({ timers }: Workload, { invocations }: Load, { ownMetrics, tickMetrics, executor }: IdleParts): readonly BillLine[] {
  const perSecond = invocations / MONTH_SECONDS;
  const traced = MONTH_SECONDS * (Math.min(1, perSecond) + ASSUMED.tracedOthers * Math.max(0, perSecond - 1));
  return [
    billLine('watching', 'metrics of a worker', 'ownMetric', ownMetrics && invocations > 0 ? METRICS.worker : 0),
    billLine('watching', 'metrics of timers', 'ownMetric', tickMetrics && timers > 0 ? METRICS.timers : 0),
    billLine('watching', 'traces of executors, at most', 'trace', executor.traced ? traced : 0),
  ];
}
