import { connectAws, createAwsClients, createBatchSupport } from '../../shared/lambda/connect.ts';
import { connectSource } from '../../shared/lambda/connect-source.ts';
import { watchPermissions } from '../../shared/lambda/permission-watch.ts';
import { reportUnknownSettings } from '../../shared/lambda/unknown-settings.ts';
import { decodeEnvironment } from '../../shared/config/environment.ts';
import { PACKAGE_VERSION } from '../../shared/config/package-version.ts';
import { processSandbox, stopSignals, systemClock, systemEntropy, systemEnvironment } from '../../shared/adapters/system.ts';
import { defined } from '../../shared/job/defined.ts';
import { type Duration, durationMs } from '../../shared/job/duration.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { checkWorkerLease } from '../../shared/job/lease.ts';
import type { HandledJob } from '../../shared/job/job-type.ts';
import { checkedInUse, checkEachOption, type OptionChecks, withMethods } from '../../shared/job/option-checks.ts';
import { createJobLog } from '../../shared/adapters/observability/job-log.ts';
import { busSinks } from '../../shared/lambda/bus-sinks.ts';
import { createEvents } from '../../shared/lambda/connect-events.ts';
import { createSums } from '../../shared/lambda/connect-sums.ts';
import { createPowertoolsJournal } from '../../shared/adapters/observability/powertools-journal.ts';
import { CONNECTION_CHECKS } from '../../shared/ports/connection-checks.ts';
import type { EventSink, OnEvent } from '../../shared/ports/event-sink.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import { checkPollingPorts, type OwnPorts } from '../../shared/ports/own-ports.ts';
import { checkWorkers, configureExecutor, HANDLER_CHECKS, type HandlerOptions } from '../executor/configure-executor.ts';
import { createWorkerReporter, knownTypes } from '../executor/report-worker.ts';
import { WorkerPool } from './worker-pool.ts';
import { queuesOf } from './queues-of.ts';

/** Options of a worker outside Lambda. All have defaults. */
export interface RunWorkerOptions extends HandlerOptions {
  /** How many jobs run at the same time at most, 1 to 1,000. Default 1. */
  readonly concurrency?: number;
  /**
   * How long running jobs may take to end after a stop signal. Then their signals fire, and those whose handler does not return within
   * `abortGrace` go back to their queue. Default PT20S.
   */
  readonly drain?: Duration;
  /** The lanes to poll. `fifo` is the FIFO queue. Default: all lanes, and that queue. */
  readonly lanes?: readonly string[];
  /** Stops the worker. Default: SIGTERM and SIGINT. */
  readonly signal?: AbortSignal;
  /** Environment variables. Default: those of the process; `workerEnvironment` of the construct gives them. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Receives events, for logs and metrics. Default: Powertools. */
  readonly journal?: Journal;
  /** Called in this process for each event, at once. */
  readonly onEvent?: OnEvent;
  /** Further destinations of events, in addition to the deployment's log and bus. */
  readonly eventSinks?: readonly EventSink[];
  /** A store, a queue or both of one's own; `source` goes with `hints`. Default: DynamoDB and SQS. */
  readonly ports?: OwnPorts;
}

const CHECKS: OptionChecks<RunWorkerOptions> = {
  ...CONNECTION_CHECKS,
  ...HANDLER_CHECKS,
  concurrency: checkedInUse,
  drain: checkedInUse,
  lanes: checkedInUse,
  signal: withMethods(['addEventListener'], 'Give an AbortSignal, or leave it out.'),
};
const MAX_AT_ONCE = 1_000;

/**
 * Runs the handlers of a worker in this process, for example in a container or on a machine with a GPU. Polls the worker's queues, renews
 * the leases of running jobs, and resolves after a stop signal when everything is recorded or given back. Exiting is up to the
 * caller. Throws InvalidInputError, InvalidConfigurationError or MissingEnvironmentError before the first poll.
 */
export async function runWorker(handled: readonly HandledJob[], options: RunWorkerOptions = {}): Promise<void> {
  checkEachOption(options, CHECKS);
  const { concurrency = 1, drain = 'PT20S' } = options;
  const own = checkPollingPorts(options.ports);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAX_AT_ONCE) {
    throw new InvalidInputError('concurrency', concurrency, `Use a whole number from 1 to ${MAX_AT_ONCE}.`);
  }
  const drainMs = durationMs(drain, 'drain');
  const environment = options.environment ?? systemEnvironment();
  const { handlers, connect } = configureExecutor(handled, {
    log: (job) => createJobLog(job, options.tracing),
    sandbox: processSandbox,
    ...options,
  });
  const deployment = decodeEnvironment(environment);
  const worker = checkWorkers(handlers, deployment);
  checkWorkerLease(deployment.settings);
  const queues = queuesOf(deployment, worker, options.lanes);
  const [clock, entropy] = [systemClock, systemEntropy];
  const { journal: plain, missing: missingPermission } = watchPermissions(
    options.journal ??
      createPowertoolsJournal({ metrics: deployment.metrics, service: 'executor', worker, ...defined({ tracing: options.tracing }) }),
    clock,
  );
  reportUnknownSettings(deployment, plain);
  const clients = createAwsClients(environment);
  const { source, close } = connectSource(own, deployment, { clock, entropy, journal: plain, environment });
  const batches = createBatchSupport(deployment, plain);
  const ports = connectAws(clients, deployment, { clock, entropy, journal: plain, batches, own });
  const batchRefusal = (): string | undefined => batches?.refusal?.reason;
  const sinks = [...busSinks(deployment, environment), ...(options.eventSinks ?? [])];
  const told = { deployment, tables: ports.tables, journal: plain, clock, entropy, sinks, onEvent: options.onEvent };
  const events = createEvents()(told);
  const sums = createSums()({ deployment, tables: ports.tables, journal: events.journal, clock });
  const { journal, errorGroups } = sums;
  const flushEvents = async (all = false): Promise<void> => void (await Promise.all([events.flush(), sums.flush(all)]));
  const reporter = createWorkerReporter({ kind: 'outside', ...knownTypes(handlers), version: PACKAGE_VERSION });
  const deps = {
    ...connect({ deployment, ...ports, journal, clock, entropy, errorGroups, flushEvents, batchRefusal, missingPermission }),
    reporter,
  };
  const { signal: stop, release } = options.signal === undefined ? stopSignals() : { signal: options.signal, release: () => {} };
  try {
    await new WorkerPool(deps, { source, queues, concurrency, drainMs, stop }).work();
  } finally {
    release();
    await sums.flush(true);
    clients.destroy();
    close();
  }
}
