import type { SQSClient } from '@aws-sdk/client-sqs';
import { createAcquirer } from '../functions/acquirer/create-acquirer.ts';
import { createSweeper } from '../functions/sweeper/create-sweeper.ts';
import type { WorkerQueues } from '../shared/config/environment.ts';
import type { Settings } from '../shared/config/settings.ts';
import { type EventSource, startEventSource } from './event-source.ts';
import type { FunctionRuntime } from './function-runtime.ts';
import type { Environment, RegionOptions } from './region.ts';
import { createSharedProcessRuntime } from './shared-process-runtime.ts';
import { startTicks, type Ticks } from './ticks.ts';

/** What the functions of a region are started with. */
export interface RegionParts {
  readonly options: RegionOptions;
  readonly settings: Settings;
  readonly queues: Readonly<Record<string, WorkerQueues>>;
  /** The environment of a worker's executor, or of a function that is none. */
  readonly environmentOf: (worker?: string) => Environment;
  readonly sqs: SQSClient;
}

const TICK_MS = 1_000;

/** Starts an event source for each queue of each worker; a worker's queues share its function, as in AWS. */
export async function startExecutors(parts: RegionParts, started: (source: EventSource) => void): Promise<void> {
  const { options, settings, queues, environmentOf, sqs } = parts;
  for (const [name, worker] of Object.entries(options.workers)) {
    const environment = environmentOf(name);
    const runtime = createSharedProcessRuntime({
      name: `executor-${name}`,
      memoryMb: settings.executorMemoryMb,
      create: (sandbox) => worker.createExecutor(environment, sandbox),
    });
    const { executorTimeoutMs: functionTimeoutMs, maxConcurrency, batchSize, batchWindowMs } = settings;
    const shared = { sqs, runtime, functionTimeoutMs, maxConcurrency, ...problemsOf(options) };
    const { lanes = {}, fifo } = queues[name] ?? {};
    for (const queueUrl of Object.values(lanes)) started(await startEventSource({ ...shared, queueUrl, batchSize, batchWindowMs }));
    // Lambda gathers no window on FIFO queues and takes at most ten messages of them.
    if (fifo !== undefined) started(await startEventSource({ ...shared, queueUrl: fifo, batchSize: Math.min(batchSize, 10) }));
  }
}

/** The two functions that ticks invoke. */
export interface TickedFunctions {
  readonly acquirer: FunctionRuntime;
  readonly sweeper: FunctionRuntime;
}

/** Loads the acquirer and the sweeper. */
export function createTickedFunctions({ options, settings, environmentOf }: RegionParts): TickedFunctions {
  const given = { environment: environmentOf(), ...(options.journal === undefined ? {} : { journal: options.journal }) };
  return {
    acquirer: createSharedProcessRuntime({ name: 'acquirer', memoryMb: settings.acquirerMemoryMb, create: () => createAcquirer(given) }),
    sweeper: createSharedProcessRuntime({ name: 'sweeper', memoryMb: settings.sweeperMemoryMb, create: () => createSweeper(given) }),
  };
}

/** Ticks for both, unless the region was asked for none. */
export function startRegionTicks({ options, settings }: RegionParts, { acquirer, sweeper }: TickedFunctions): readonly Ticks[] {
  const { tickMs: everyMs = TICK_MS } = options;
  if (everyMs === 0) return [];
  return [
    startTicks({ runtime: acquirer, everyMs, functionTimeoutMs: settings.acquirerTimeoutMs, ...problemsOf(options) }),
    startTicks({ runtime: sweeper, everyMs, functionTimeoutMs: settings.sweeperTimeoutMs, ...problemsOf(options) }),
  ];
}

function problemsOf({ onProblem }: RegionOptions): Pick<RegionOptions, 'onProblem'> {
  return onProblem === undefined ? {} : { onProblem };
}
