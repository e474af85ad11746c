import { connectAws, createAwsClients } from '../../shared/lambda/connect.ts';
import { decodeEnvironment } from '../../shared/config/environment.ts';
import { PACKAGE_VERSION } from '../../shared/config/package-version.ts';
import { processSandbox, stopSignals, systemClock, systemEntropy, systemEnvironment } from '../../shared/config/system.ts';
import { type Duration, durationMs } from '../../shared/core/duration.ts';
import { InvalidInputError } from '../../shared/core/errors.ts';
import { checkWorkerLease } from '../../shared/core/lease.ts';
import type { HandledJob } from '../../shared/core/job-type.ts';
import { checkOptions } from '../../shared/core/names.ts';
import { createJobLog } from '../../shared/adapters/observability/job-log.ts';
import { busSinks } from '../../shared/lambda/bus-sinks.ts';
import { createEvents } from '../../shared/lambda/connect-events.ts';
import { createSums } from '../../shared/lambda/connect-sums.ts';
import { createPowertoolsJournal } from '../../shared/adapters/observability/powertools-journal.ts';
import type { EventSink, OnEvent } from '../../shared/ports/event-sink.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import { createPollingClient, createSqsSource } from '../../shared/adapters/sqs/source.ts';
import { checkWorkers, executorDeps, type HandlerOptions } from '../executor/executor-deps.ts';
import { createWorkerReporter } from '../executor/report-worker.ts';
import { WorkerPool } from './worker-pool.ts';
import { queuesOf } from './queues-of.ts';

/** Options of a worker outside Lambda. All have defaults. */
export interface RunWorkerOptions extends HandlerOptions {
  /** How many jobs run at the same time, 1 to 1,000. Default 1. */
  readonly concurrency?: number;
  /** How long running jobs may take to end after a stop signal, before they go back to their queue. Default PT20S. */
  readonly drain?: Duration;
  /** The lanes to poll. `fifo` is the queue of grouped jobs. Default: all lanes, and that queue. */
  readonly lanes?: readonly string[];
  /** Stops the worker. Default: SIGTERM and SIGINT. */
  readonly signal?: AbortSignal;
  /** Environment variables. Default: those of the process; `workerEnvironment` of the construct gives them. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Receives what happened, for logs and metrics. Default: Powertools. */
  readonly journal?: Journal;
  /** Called in this process for each event, at once. */
  readonly onEvent?: OnEvent;
  /** Further destinations of events, besides the deployment's log and bus. */
  readonly eventSinks?: readonly EventSink[];
}

const OPTIONS = [
  'around',
  'retry',
  'isConflict',
  'onError',
  'retryFor',
  'limits',
  'tenantConcurrency',
  'onSession',
  'log',
  'sandbox',
  'concurrency',
  'drain',
  'lanes',
  'signal',
  'environment',
  'journal',
  'onEvent',
  'eventSinks',
];
const MOST_AT_ONCE = 1_000;

/**
 * Runs the handlers of a worker in this process, wherever it is: a container, a machine with a GPU. Polls the worker's queues, keeps
 * the leases of running jobs, and resolves when it was told to stop and everything is recorded or given back; exiting is left to the
 * caller. Throws InvalidInputError, InvalidConfigurationError or MissingEnvironmentError before the first poll.
 */
export async function runWorker(handled: readonly HandledJob[], options: RunWorkerOptions = {}): Promise<void> {
  checkOptions(options, OPTIONS, 'options');
  const { concurrency = 1, drain = 'PT20S' } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MOST_AT_ONCE) {
    throw new InvalidInputError('concurrency', concurrency, `Use a whole number from 1 to ${MOST_AT_ONCE}.`);
  }
  const drainMs = durationMs(drain, 'drain');
  const environment = options.environment ?? systemEnvironment();
  const { handlers, over } = executorDeps(handled, { log: (job) => createJobLog(job), sandbox: processSandbox, ...options });
  const deployment = decodeEnvironment(environment);
  const worker = checkWorkers(handlers, deployment);
  checkWorkerLease(deployment.settings);
  const queues = queuesOf(deployment, worker, options.lanes);
  const [clock, entropy] = [systemClock, systemEntropy];
  const plain = options.journal ?? createPowertoolsJournal({ metrics: deployment.metrics, service: 'executor', worker });
  const clients = createAwsClients(environment);
  const endpoint = environment['AWS_ENDPOINT_URL_SQS'];
  const polling = createPollingClient(endpoint === undefined ? {} : { endpoint });
  const source = createSqsSource({ client: polling, workers: deployment.workers, clock, entropy, journal: plain });
  const ports = connectAws(clients, deployment, { clock, entropy, journal: plain });
  const sinks = [...busSinks(deployment, environment), ...(options.eventSinks ?? [])];
  const told = { deployment, tables: ports.tables, journal: plain, clock, entropy, sinks, onEvent: options.onEvent };
  const events = createEvents()(told);
  const sums = createSums()({ deployment, tables: ports.tables, journal: events.journal, clock });
  const { journal, errorGroups } = sums;
  const flushEvents = async (all = false): Promise<void> => void (await Promise.all([events.flush(), sums.flush(all)]));
  const reporter = createWorkerReporter({ kind: 'outside', types: [...handlers.keys()], version: PACKAGE_VERSION });
  const deps = { ...over({ deployment, ...ports, journal, clock, entropy, errorGroups, flushEvents }), reporter };
  const { signal: stop, release } = options.signal === undefined ? stopSignals() : { signal: options.signal, release: () => {} };
  try {
    await new WorkerPool(deps, { source, queues, concurrency, drainMs, stop }).work();
  } finally {
    release();
    await sums.flush(true);
    for (const client of [clients.dynamo, clients.sqs, polling]) client.destroy();
  }
}
