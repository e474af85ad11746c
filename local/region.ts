import { randomBytes } from 'node:crypto';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createHttpApi } from '../functions/api/create-http-api.ts';
import { encodeEnvironment, type WorkerQueues } from '../shared/config/environment.ts';
import { resolveSettings, type Settings } from '../shared/config/settings.ts';
import { systemEnvironment } from '../shared/adapters/system.ts';
import { defined } from '../shared/job/defined.ts';
import { DEFAULT_LANE, laneBounds, lanesByUrgency, TIMER_LANE } from '../shared/job/lanes.ts';
import { TABLE_NAMES } from '../shared/ports/table-spec.ts';
import type { TableName } from '../shared/ports/tables.ts';
import { createQueues, type WorkerLayout } from './create-queues.ts';
import { createTables } from './create-tables.ts';
import { startEmbeddedDynamo } from './emulators/embedded-dynamo.ts';
import { EMULATED, useEmulatorCredentials } from './emulators/emulator-credentials.ts';
import type { EventSource } from './event-source.ts';
import { startFauxqs } from './emulators/fauxqs.ts';
import { serveFunctionUrl } from './function-url.ts';
import type { FunctionRuntime, FunctionSpec } from './function-runtime.ts';
import { LOCAL_SETTINGS } from './local-settings.ts';
import { separateProcesses, sharedProcess } from './function-placement.ts';
import { createTickedFunctions, type RegionDeps, startExecutors, startRegionTicks } from './region-functions.ts';
import type { Environment, LocalWorker, RegionOptions } from './region-options.ts';
import type { SandboxView } from './sandbox-process.ts';
import { createSharedProcessRuntime } from './shared-process-runtime.ts';
import type { Ticks } from './ticks.ts';

/** A running region: tables, queues, executors behind event sources, ticks. */
export interface Region {
  /** The environment that `connect` sets on a function, and the endpoints of the emulators. */
  readonly environment: Environment;
  /** The environment for `runWorker` and `external`, for a worker outside Lambda. */
  workerEnvironment(worker: string): Environment;
  /** The URL of the external API, if it was asked for. */
  readonly externalApiUrl?: string;
  readonly settings: Settings;
  readonly dynamo: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly tables: Readonly<Record<TableName, string>>;
  readonly queues: Readonly<Record<string, WorkerQueues>>;
  /** Invokes the acquirer once, in addition to its ticks; throws FunctionError. */
  acquire(): Promise<void>;
  /** Invokes the sweeper once, in addition to its ticks; throws FunctionError. */
  sweep(): Promise<void>;
  /** Runs another function in this process, in addition to the region's own. */
  runtime(spec: FunctionSpec): FunctionRuntime;
  /** The processes that functions run in now; none where they share this one. */
  readonly sandboxes: readonly SandboxView[];
  /**
   * Stops ticks and polling, waits up to `graceMs` for running work, then stops the emulators and drops their data. Gives back
   * how many messages were still with an executor. A second call waits for the first.
   */
  stop(graceMs?: number): Promise<number>;
}

const DEFAULT_GRACE_MS = 10_000;

type Undo = (() => unknown)[];

/** Starts a region on free loopback ports. If a later step fails, everything already started is stopped. */
export async function startRegion(options: RegionOptions): Promise<Region> {
  // Before anything is started: settings that contradict each other throw here.
  const settings = resolveSettings({ ...LOCAL_SETTINGS, ...options.settings });
  const undo: Undo = [];
  try {
    return await start(options, settings, undo);
  } catch (error) {
    await undoAll(undo);
    throw error;
  }
}

async function start(options: RegionOptions, settings: Settings, undo: Undo): Promise<Region> {
  const store = await openStore(options, settings, undo);
  const { dynamo, sqs, tables, queues } = store;
  const functions = options.processes === true ? separateProcesses(options.onLog) : sharedProcess();
  undo.push(() => functions.stop());
  const environment = (worker?: string): Environment => environmentOf(options, store, worker);
  const deps: RegionDeps = { options, settings, queues, sqs, environmentOf: environment, runtimeOf: (fn) => functions.start(fn) };
  const sources: EventSource[] = [];
  undo.push(() => Promise.all(sources.map((source) => source.stop(0))));
  await startExecutors(deps, (source) => sources.push(source));
  const { acquirer, sweeper } = createTickedFunctions(deps);
  const ticks = startRegionTicks(deps, { acquirer, sweeper });
  const externalApiUrl = options.externalApi === true ? await startExternalApi(options, environment(), undo) : undefined;
  let stopped: Promise<number> | undefined;
  return {
    environment: deps.environmentOf(),
    workerEnvironment: environment,
    ...defined({ externalApiUrl }),
    settings,
    dynamo,
    sqs,
    tables,
    queues,
    acquire: async () => void (await acquirer.invoke({}, { timeoutMs: settings.acquirerTimeoutMs })),
    sweep: async () => void (await sweeper.invoke({}, { timeoutMs: settings.sweeperTimeoutMs })),
    runtime: (spec) => createSharedProcessRuntime(spec),
    get sandboxes() {
      return functions.sandboxes;
    },
    stop: (graceMs = DEFAULT_GRACE_MS) => (stopped ??= stop(graceMs, { ticks, sources, undo })),
  };
}

/** The API hands out jobs of the workers outside Lambda, as the construct's does. */
async function startExternalApi({ workers, onProblem, journal }: RegionOptions, environment: Environment, undo: Undo): Promise<string> {
  const outside = Object.keys(workers).filter((name) => workers[name]?.outside === true);
  const handler = createHttpApi({ environment, workers: outside, ...defined({ journal }) });
  const [accessKeyId = '', secretAccessKey = '', region = ''] = [
    EMULATED['AWS_ACCESS_KEY_ID'],
    EMULATED['AWS_SECRET_ACCESS_KEY'],
    EMULATED['AWS_REGION'],
  ];
  const key = { accessKeyId, secretAccessKey, region };
  const served = await serveFunctionUrl({ handler, key, timeoutMs: 60_000, ...defined({ onProblem }) });
  undo.push(() => served.close());
  return served.url;
}

interface Store {
  readonly dynamo: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly tables: Readonly<Record<TableName, string>>;
  readonly queues: Readonly<Record<string, WorkerQueues>>;
  readonly endpoints: Environment;
}

/** Emulators with empty tables and queues. In a given store, with unique names, and deleted at the end. */
async function openStore({ workers, hostEnvironment }: RegionOptions, settings: Settings, undo: Undo): Promise<Store> {
  const host = hostEnvironment ?? { ...systemEnvironment() };
  const prefix = `local-${randomBytes(4).toString('hex')}`;
  undo.push(useEmulatorCredentials());
  const database = await startEmbeddedDynamo(host);
  undo.push(() => database.stop());
  const queueing = await startFauxqs(host);
  undo.push(() => queueing.stop());
  const dynamo = new DynamoDBClient({ endpoint: database.endpoint });
  const sqs = new SQSClient({ endpoint: queueing.endpoint, useQueueUrlAsEndpoint: false });
  undo.push(
    () => dynamo.destroy(),
    () => sqs.destroy(),
  );

  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, `${prefix}-${name}`])) as Record<TableName, string>;
  if (database.pid === undefined) undo.push(() => deleteTables(dynamo, tables));
  await createTables(dynamo, tables);
  const layout = Object.entries(workers).map(([name, worker]) => [name, layoutOf(name, worker)] as const);
  const queues = await createQueues(sqs, { prefix, workers: Object.fromEntries(layout) }, settings);
  undo.push(() => deleteQueues(sqs, queues));
  const endpoints = { AWS_ENDPOINT_URL_DYNAMODB: database.endpoint, AWS_ENDPOINT_URL_SQS: queueing.endpoint };
  return { dynamo, sqs, tables, queues, endpoints };
}

function layoutOf(
  name: string,
  { lanes = { [DEFAULT_LANE]: {} }, timersFirst = false, priority, groups = true, outside = false }: LocalWorker,
): WorkerLayout {
  const from = laneBounds(lanes, `workers.${name}.lanes`);
  return {
    lanes: lanesByUrgency([...Object.keys(lanes), ...(timersFirst ? [TIMER_LANE] : [])], from),
    ...(Object.keys(from).length === 0 ? {} : { from }),
    ...defined({ priority }),
    groups,
    outside,
  };
}

function environmentOf({ settings, history }: RegionOptions, { tables, queues, endpoints }: Store, worker?: string): Environment {
  return {
    ...encodeEnvironment({
      tables,
      workers: queues,
      settings: { ...LOCAL_SETTINGS, ...settings },
      ...defined({ history, worker }),
    }),
    ...endpoints,
  };
}

async function stop(
  graceMs: number,
  { ticks, sources, undo }: { readonly ticks: readonly Ticks[]; readonly sources: readonly EventSource[]; readonly undo: Undo },
): Promise<number> {
  const held = Promise.all(sources.map((source) => source.stop(graceMs)));
  await Promise.all(ticks.map((each) => each.stop(graceMs)));
  const counts = await held;
  await undoAll(undo);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Undoes the steps, last first. If one fails, the others are still undone. */
async function undoAll(undo: Undo): Promise<void> {
  for (const step of undo.splice(0).toReversed()) {
    try {
      await step();
    } catch {
      // The emulators are going away with everything in them.
    }
  }
}

async function deleteTables(dynamo: DynamoDBClient, tables: Readonly<Record<TableName, string>>): Promise<void> {
  await Promise.allSettled(Object.values(tables).map((TableName) => dynamo.send(new DeleteTableCommand({ TableName }))));
}

async function deleteQueues(sqs: SQSClient, queues: Readonly<Record<string, WorkerQueues>>): Promise<void> {
  const urls = Object.values(queues).flatMap(({ lanes, fifo, deadLetterQueue, fifoDeadLetterQueue }) => [
    ...Object.values(lanes),
    fifo,
    deadLetterQueue,
    fifoDeadLetterQueue,
  ]);
  await Promise.allSettled(urls.flatMap((QueueUrl) => (QueueUrl === undefined ? [] : [sqs.send(new DeleteQueueCommand({ QueueUrl }))])));
}
