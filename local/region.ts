import { randomBytes } from 'node:crypto';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createAcquirer } from '../functions/acquirer/create-acquirer.ts';
import { createSweeper } from '../functions/sweeper/create-sweeper.ts';
import { encodeEnvironment, type HistoryMode, type WorkerQueues } from '../shared/config/environment.ts';
import { resolveSettings, type Settings } from '../shared/config/settings.ts';
import { systemEnvironment } from '../shared/config/system.ts';
import type { Journal } from '../shared/ports/journal.ts';
import type { Sandbox } from '../shared/ports/sandbox.ts';
import { TABLE_NAMES } from '../shared/ports/table-spec.ts';
import type { TableName } from '../shared/ports/tables.ts';
import { createQueues } from './create-queues.ts';
import { createTables } from './create-tables.ts';
import { startDynoxide } from './dynoxide.ts';
import { useEmulatorCredentials } from './emulator-credentials.ts';
import { type EventSource, startEventSource } from './event-source.ts';
import { startFauxqs } from './fauxqs.ts';
import type { FunctionRuntime, FunctionSpec, LambdaHandler } from './function-runtime.ts';
import { LOCAL_SETTINGS } from './local-settings.ts';
import { createSharedProcessRuntime } from './shared-process-runtime.ts';
import { startTicks, type Ticks } from './ticks.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A worker as the region runs it. */
export interface LocalWorker {
  /** Loads the executor: once per sandbox, with the environment of its function. */
  readonly createExecutor: (environment: Environment, sandbox: Sandbox) => LambdaHandler | Promise<LambdaHandler>;
  /** Default `['default']`. */
  readonly lanes?: readonly string[];
  /** Whether a type of it has groups, so that it gets a FIFO queue. Default true. */
  readonly groups?: boolean;
}

/** What a region is made of. */
export interface RegionOptions {
  readonly workers: Readonly<Record<string, LocalWorker>>;
  /** Overrides of LOCAL_SETTINGS. */
  readonly settings?: Readonly<Record<string, number>>;
  readonly history?: HistoryMode;
  /** How often acquirer and sweeper tick. Default 1 s. */
  readonly tickMs?: number;
  /** Where the acquirer and the sweeper journal; default their logs. */
  readonly journal?: Journal;
  /** Endpoints that it names are used instead of emulators of its own. Default: the environment of this process. */
  readonly hostEnvironment?: Environment;
  /** Failed polls, ticks and invocations; whatever it is, the region goes on. */
  readonly onProblem?: (what: string, error: unknown) => void;
}

/** A running region: tables, queues, executors behind event sources, ticks. */
export interface Region {
  /** What `connect` gives a function of a deployment, and where its AWS is. */
  readonly environment: Environment;
  readonly settings: Settings;
  readonly dynamo: DynamoDBClient;
  readonly tables: Readonly<Record<TableName, string>>;
  readonly queues: Readonly<Record<string, WorkerQueues>>;
  /** Runs another function beside the region's own. */
  runtime(spec: FunctionSpec): FunctionRuntime;
  /**
   * Ends ticks and polling, waits up to `graceMs` for what runs, then ends the emulators with everything in them. Gives back
   * how many messages were still with an executor. A second call waits for the first.
   */
  stop(graceMs?: number): Promise<number>;
}

/** The lane that jobs are created in. */
const DEFAULT_LANES = ['default'] as const;
const DEFAULT_GRACE_MS = 10_000;

/** Starts a region on free loopback ports. What was started is ended again when a later step fails. */
export async function startRegion(options: RegionOptions): Promise<Region> {
  const undo: (() => Promise<unknown> | void)[] = [];
  try {
    return await start(options, undo);
  } catch (error) {
    await undoAll(undo);
    throw error;
  }
}

async function undoAll(undo: (() => Promise<unknown> | void)[]): Promise<void> {
  for (const step of undo.splice(0).toReversed()) await Promise.resolve(step()).catch(() => undefined);
}

async function start(options: RegionOptions, undo: (() => Promise<unknown> | void)[]): Promise<Region> {
  const host = options.hostEnvironment ?? { ...systemEnvironment() };
  const settings = resolveSettings({ ...LOCAL_SETTINGS, ...options.settings });
  const prefix = `local-${randomBytes(4).toString('hex')}`;
  undo.push(useEmulatorCredentials());
  const store = await startDynoxide(host);
  undo.push(() => store.stop());
  const queueing = await startFauxqs(host);
  undo.push(() => queueing.stop());
  const dynamo = new DynamoDBClient({ endpoint: store.endpoint });
  const sqs = new SQSClient({ endpoint: queueing.endpoint, useQueueUrlAsEndpoint: false });
  undo.push(() => dynamo.destroy(), () => sqs.destroy());

  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, `${prefix}-${name}`])) as Record<TableName, string>;
  await createTables(dynamo, tables);
  if (store.pid === undefined) undo.push(() => deleteTables(dynamo, tables));
  const layout = Object.entries(options.workers).map(([name, worker]) => [
    name,
    { lanes: worker.lanes ?? DEFAULT_LANES, groups: worker.groups ?? true },
  ]);
  const queues = await createQueues(sqs, { prefix, workers: Object.fromEntries(layout) }, settings);

  const environmentOf = (worker?: string): Environment => ({
    ...encodeEnvironment({
      tables,
      workers: queues,
      settings: { ...LOCAL_SETTINGS, ...options.settings },
      ...(options.history === undefined ? {} : { history: options.history }),
      ...(worker === undefined ? {} : { worker }),
    }),
    AWS_ENDPOINT_URL_DYNAMODB: store.endpoint,
    AWS_ENDPOINT_URL_SQS: queueing.endpoint,
  });
  const parts: Parts = { options, settings, queues, environmentOf, sqs };
  const ticks = startFunctionTicks(parts);
  undo.push(() => Promise.all(ticks.map((each) => each.stop(0))));
  const sources = await startEventSources(parts);
  let stopped: Promise<number> | undefined;
  return {
    environment: environmentOf(),
    settings,
    dynamo,
    tables,
    queues,
    runtime: (spec) => createSharedProcessRuntime(spec),
    stop: (graceMs = DEFAULT_GRACE_MS) => (stopped ??= stop(graceMs, { ticks, sources, undo })),
  };
}

interface Parts {
  readonly options: RegionOptions;
  readonly settings: Settings;
  readonly queues: Readonly<Record<string, WorkerQueues>>;
  readonly environmentOf: (worker?: string) => Environment;
  readonly sqs: SQSClient;
}

async function stop(
  graceMs: number,
  parts: { readonly ticks: readonly Ticks[]; readonly sources: readonly EventSource[]; readonly undo: (() => Promise<unknown> | void)[] },
): Promise<number> {
  const [abandoned] = await Promise.all([
    Promise.all(parts.sources.map((source) => source.stop(graceMs))),
    ...parts.ticks.map((ticks) => ticks.stop(graceMs)),
  ]);
  await undoAll(parts.undo);
  return abandoned.reduce((sum, count) => sum + count, 0);
}

function startEventSources({ options, settings, queues, environmentOf, sqs }: Parts): Promise<readonly EventSource[]> {
  const sources = Object.entries(options.workers).flatMap(([name, worker]) => {
    const environment = environmentOf(name);
    const runtime = createSharedProcessRuntime({
      name: `executor-${name}`,
      memoryMb: settings.executorMemoryMb,
      create: (sandbox) => worker.createExecutor(environment, sandbox),
    });
    const { lanes = {}, fifo } = queues[name] ?? {};
    const source = (queueUrl: string, batch: { readonly batchSize: number; readonly batchWindowMs: number }): Promise<EventSource> =>
      startEventSource({
        sqs,
        queueUrl,
        runtime,
        functionTimeoutMs: settings.executorTimeoutMs,
        maxConcurrency: settings.maxConcurrency,
        ...batch,
        ...(options.onProblem === undefined ? {} : { onProblem: options.onProblem }),
      });
    return [
      ...Object.values(lanes).map((url) => source(url, settings)),
      ...(fifo === undefined ? [] : [source(fifo, { batchSize: Math.min(settings.batchSize, 10), batchWindowMs: 0 })]),
    ];
  });
  return Promise.all(sources);
}

function startFunctionTicks({ options, settings, environmentOf }: Parts): readonly Ticks[] {
  const environment = environmentOf();
  const journal = options.journal === undefined ? {} : { journal: options.journal };
  const everyMs = options.tickMs ?? 1_000;
  const acquirer = createSharedProcessRuntime({ name: 'acquirer', memoryMb: settings.acquirerMemoryMb, create: () => createAcquirer({ environment, ...journal }) });
  const sweeper = createSharedProcessRuntime({ name: 'sweeper', memoryMb: settings.sweeperMemoryMb, create: () => createSweeper({ environment, ...journal }) });
  const problems = options.onProblem === undefined ? {} : { onProblem: options.onProblem };
  return [
    startTicks({ runtime: acquirer, everyMs, functionTimeoutMs: settings.acquirerTimeoutMs, ...problems }),
    startTicks({ runtime: sweeper, everyMs, functionTimeoutMs: settings.sweeperTimeoutMs, ...problems }),
  ];
}

async function deleteTables(dynamo: DynamoDBClient, tables: Readonly<Record<TableName, string>>): Promise<void> {
  await Promise.all(Object.values(tables).map((TableName) => dynamo.send(new DeleteTableCommand({ TableName }))));
}
