import { ASSUMED, MONTH_MINUTES } from './assumptions.ts';
import { billLine, type BillLine } from './bill.ts';
import type { IdleParts, IdleTick } from './idle-parts.ts';
import { IDLE_TICK, METRICS } from './unit-counts.ts';
import { plural } from '../../shared/job/plural.ts';

/** Seconds of a month. */
const MONTH_SECONDS = MONTH_MINUTES * 60;

/** The cost of a deployment in an idle month, without free items. */
export function idleLines(parts: IdleParts): readonly BillLine[] {
  return [...pollLines(parts), ...tickLines(parts.ticks), ...standingLines(parts), ...watchLines(parts)].filter(({ amount }) => amount > 0);
}

function pollLines({ queues: { standard, fifo } }: IdleParts): readonly BillLine[] {
  const polls = ASSUMED.pollersPerQueue * ASSUMED.pollsPerMinute * MONTH_MINUTES;
  return [
    billLine('idle', `polling of ${count(standard, 'queue')}`, 'standardRequest', standard * polls),
    billLine('idle', `polling of ${count(fifo, 'FIFO queue')}`, 'fifoRequest', fifo * polls),
  ];
}

function tickLines(ticks: readonly IdleTick[]): readonly BillLine[] {
  const month = ticks.map((tick) => ({ ...tick, runs: MONTH_MINUTES / tick.everyMinutes }));
  const sum = (of: (tick: (typeof month)[number]) => number): number => month.reduce((all, tick) => all + of(tick), 0);
  const runs = sum((tick) => tick.runs);
  return [
    billLine(
      'idle',
      'ticks of acquirer and sweeper',
      'scheduledTick',
      sum((tick) => (tick.by === 'schedule' ? tick.runs : 0)),
    ),
    billLine('idle', 'their invocations', 'invocation', runs),
    billLine(
      'idle',
      'their run time',
      'gbSecond',
      sum((tick) => (tick.runs * ASSUMED.tickMs * tick.memoryMb) / 1_024_000),
    ),
    billLine(
      'idle',
      'looks at shards, leases and lists',
      'readUnit',
      sum((tick) => tick.runs * readUnits(tick)),
    ),
    billLine(
      'idle',
      'their heartbeats',
      'writeUnit',
      sum((tick) => tick.runs * IDLE_TICK[tick.of].writeUnits),
    ),
    ...logLines('idle', 'their logs', runs),
    billLine(
      'watching',
      'traces of ticks',
      'trace',
      sum((tick) => (tick.traced ? tick.runs : 0)),
    ),
  ];
}

function readUnits({ of, share }: IdleTick): number {
  if (of === 'sweeper') return IDLE_TICK.sweeper.readUnits;
  const { shards, readUnitsPerShard, otherReadUnits } = IDLE_TICK.acquirer;
  return shards * share * readUnitsPerShard + otherReadUnits;
}

/** Logs of a number of invocations: written once, kept for a month. */
export function logLines(part: BillLine['part'], what: string, invocations: number): readonly BillLine[] {
  const gigabytes = (invocations * ASSUMED.logBytesPerInvocation) / 1e9;
  return [billLine(part, what, 'logIngestion', gigabytes), billLine(part, `${what}, kept`, 'logStorage', gigabytes)];
}

function standingLines({ warmGb, keys }: IdleParts): readonly BillLine[] {
  return [
    billLine('idle', 'sandboxes kept warm', 'provisionedGbSecond', warmGb * MONTH_SECONDS),
    billLine('idle', count(keys, 'encryption key'), 'key', keys),
  ];
}

function watchLines(parts: IdleParts): readonly BillLine[] {
  const kinds = new Set(parts.ticks.map(({ of }) => of));
  const gauges = [...kinds].reduce((sum, kind) => sum + METRICS[kind], 0);
  return [
    billLine('watching', 'metrics of heartbeats and ages', 'ownMetric', parts.tickMetrics ? gauges : 0),
    billLine('watching', 'alarms', 'alarmMetric', parts.alarmMetrics),
    billLine('watching', 'fast alarms', 'fastAlarmMetric', parts.fastAlarmMetrics),
    billLine('watching', 'composite alarms', 'compositeAlarm', parts.compositeAlarms),
    billLine('watching', 'dashboards', 'dashboard', parts.dashboards),
  ];
}

function count(amount: number, noun: string): string {
  return `${amount} ${plural(amount, noun)}`;
}
