import { join } from 'node:path';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { createAcquirer } from '../functions/acquirer/create-acquirer.ts';
import { createSweeper } from '../functions/sweeper/create-sweeper.ts';
import type { WorkerQueues } from '../shared/config/environment.ts';
import type { Settings } from '../shared/config/settings.ts';
import { defined } from '../shared/job/defined.ts';
import { DECLARED_SCHEDULES_FILE } from '../shared/features/schedules/model/definition.ts';
import { type EventSource, startEventSource } from './event-source.ts';
import type { PlacedFunction } from './function-placement.ts';
import type { FunctionRuntime, LambdaHandler } from './function-runtime.ts';
import type { Environment, RegionOptions } from './region-options.ts';
import { startTicks, type Ticks } from './ticks.ts';

/** Options of the functions of a region. */
export interface RegionDeps {
  readonly options: RegionOptions;
  readonly settings: Settings;
  readonly queues: Readonly<Record<string, WorkerQueues>>;
  /** The environment of a worker's executor, or of a function that is none. */
  readonly environmentOf: (worker?: string) => Environment;
  readonly sqs: SQSClient;
  /** Where functions run: in this process or in processes of their own. */
  readonly runtimeOf: (fn: PlacedFunction) => FunctionRuntime;
}

const ENTRIES = { acquirer: '../functions/acquirer/handler.ts', sweeper: '../functions/sweeper/handler.ts' } as const;
const TICK_MS = 1_000;

/** Starts an event source for each queue of each worker; a worker's queues share its function, as in AWS. */
export async function startExecutors(deps: RegionDeps, started: (source: EventSource) => void): Promise<void> {
  const { options, settings, queues, environmentOf, sqs } = deps;
  for (const [name, worker] of Object.entries(options.workers)) {
    if (worker.outside === true) continue;
    const environment = environmentOf(name);
    const { createExecutor, entry } = worker;
    const runtime = deps.runtimeOf({
      name: `executor-${name}`,
      memoryMb: settings.executorMemoryMb,
      environment: { ...environment, ...worker.environment },
      ...(createExecutor === undefined ? {} : { create: (sandbox) => createExecutor(environment, sandbox) }),
      ...defined({ entry }),
      banner: true,
    });
    const { executorTimeoutMs: functionTimeoutMs, maxConcurrency, batchSize, batchWindowMs } = settings;
    const shared = { sqs, runtime, functionTimeoutMs, maxConcurrency, ...problemsOf(options) };
    const { lanes = {}, fifo } = queues[name] ?? {};
    for (const [lane, queueUrl] of Object.entries(lanes)) {
      const own = { maxConcurrency: worker.lanes?.[lane]?.maxConcurrency ?? maxConcurrency };
      started(await startEventSource({ ...shared, ...own, queueUrl, batchSize, batchWindowMs }));
    }
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
export function createTickedFunctions({ options, settings, environmentOf, runtimeOf }: RegionDeps): TickedFunctions {
  const environment = environmentOf();
  const given = { environment, ...defined({ journal: options.journal }) };
  const { schedules = [] } = options;
  const beside = { acquirer: { [DECLARED_SCHEDULES_FILE]: JSON.stringify(schedules) }, sweeper: {} };
  const place = (name: keyof typeof ENTRIES, memoryMb: number, create: () => LambdaHandler): FunctionRuntime =>
    runtimeOf({
      name,
      memoryMb,
      create,
      environment,
      entry: join(import.meta.dirname, ENTRIES[name]),
      banner: false,
      beside: beside[name],
    });
  return {
    acquirer: place('acquirer', settings.acquirerMemoryMb, () => createAcquirer({ ...given, schedules: () => schedules })),
    sweeper: place('sweeper', settings.sweeperMemoryMb, () => createSweeper(given)),
  };
}

/** Ticks for both, unless the region was asked for none. */
export function startRegionTicks({ options, settings }: RegionDeps, { acquirer, sweeper }: TickedFunctions): readonly Ticks[] {
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
