/** A schedule that starts a function while the deployment is idle. */
export interface IdleTick {
  readonly of: 'acquirer' | 'sweeper';
  readonly everyMinutes: number;
  readonly memoryMb: number;
  readonly traced: boolean;
  /** EventBridge Scheduler charges for each tick, EventBridge rules do not. */
  readonly by: 'schedule' | 'rule';
  /** For an acquirer: its share of the shards. */
  readonly share: number;
}

/** All of a deployment that costs money while no job runs. */
export interface IdleParts {
  /** Queues that an event source polls. */
  readonly queues: { readonly standard: number; readonly fifo: number };
  readonly ticks: readonly IdleTick[];
  /** Whether executors publish metrics, and whether acquirer and sweeper do. */
  readonly ownMetrics: boolean;
  readonly tickMetrics: boolean;
  /** Metrics under alarms, those in metric math each by itself. */
  readonly alarmMetrics: number;
  readonly fastAlarmMetrics: number;
  readonly compositeAlarms: number;
  readonly dashboards: number;
  readonly keys: number;
  /** GB of sandboxes that are kept warm. */
  readonly warmGb: number;
  /** Memory and tracing of the executor, for the cost of its jobs. Of several executors, the first. */
  readonly executor: { readonly memoryMb: number; readonly traced: boolean };
  /** Resources that cost nothing while idle, with their number. */
  readonly free: Readonly<Record<string, number>>;
  /** Resource types that this computation does not know. */
  readonly unknown: readonly string[];
}

const MEMORY_MB = 512;

/** Parts that can be left out of a deployment with one worker. */
export interface OneLaneChoices {
  readonly fifo?: boolean;
  readonly alarms?: boolean;
  readonly dashboard?: boolean;
  readonly metrics?: boolean;
  readonly tracing?: boolean;
}

/** A deployment of one worker with one lane and default settings; a test compares it with its template. */
export function oneLane(choices: OneLaneChoices = {}): IdleParts {
  const { fifo = false, alarms = true, dashboard = true, metrics = true, tracing = true } = choices;
  const tick = { everyMinutes: 1, memoryMb: MEMORY_MB, traced: false, by: 'schedule', share: 1 } as const;
  return {
    queues: { standard: 1, fifo: fifo ? 1 : 0 },
    ticks: [
      { ...tick, of: 'acquirer' },
      { ...tick, of: 'sweeper' },
    ],
    ownMetrics: metrics,
    tickMetrics: metrics && (alarms || dashboard),
    alarmMetrics: alarms ? alarmMetrics(fifo, metrics) : 0,
    fastAlarmMetrics: 0,
    compositeAlarms: 0,
    dashboards: dashboard ? 1 : 0,
    keys: 0,
    warmGb: 0,
    executor: { memoryMb: MEMORY_MB, traced: tracing },
    free: {},
    unknown: [],
  };
}

/** AWS metrics that alarms always use: messages of dead-letter queues, of the FIFO queue and of failed ticks; throttles of one executor, of acquirer and sweeper, and of ten tables and indexes. */
const AWS_METRICS = {
  deadLetterQueue: 1,
  fifoDepth: 1,
  executorThrottles: 1,
  tickThrottles: 2,
  failedTicks: 1,
  tableThrottles: 10,
} as const;
/** With metrics of one's own: six of a worker, six of the deployment. Without: two heartbeats of two metrics each. */
const OWN_METRICS = { worker: 6, deployment: 6, heartbeatsWithout: 4 } as const;

function alarmMetrics(fifo: boolean, metrics: boolean): number {
  const { deadLetterQueue, fifoDepth, executorThrottles, tickThrottles, failedTicks, tableThrottles } = AWS_METRICS;
  const ofAws =
    deadLetterQueue * (fifo ? 2 : 1) + (fifo ? fifoDepth : 0) + executorThrottles + tickThrottles + failedTicks + tableThrottles;
  return ofAws + (metrics ? OWN_METRICS.worker + OWN_METRICS.deployment : OWN_METRICS.heartbeatsWithout);
}
