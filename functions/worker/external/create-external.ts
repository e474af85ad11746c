import { connectAws, createAwsClients } from '../../../shared/lambda/connect.ts';
import { createSums } from '../../../shared/lambda/connect-sums.ts';
import { decodeEnvironment } from '../../../shared/config/environment.ts';
import { PACKAGE_VERSION } from '../../../shared/config/package-version.ts';
import { beforeProcessEnds, processSandbox, systemClock, systemEntropy, systemEnvironment } from '../../../shared/config/system.ts';
import type { AnyJobType } from '../../../shared/core/job-type.ts';
import { checkOptions, checkWorkerName } from '../../../shared/core/names.ts';
import { flushAfter } from '../../../shared/adapters/observability/flush-after.ts';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import type { Journal } from '../../../shared/ports/journal.ts';
import { createPollingClient, createSqsSource } from '../../../shared/adapters/sqs/source.ts';
import { EVERY_TYPE } from '../../../shared/features/workers/store/worker-rows.ts';
import { executorDeps } from '../../executor/executor-deps.ts';
import { queuesOf } from '../queues-of.ts';
import { EveryType } from './every-type.ts';
import type { External } from './external.ts';
import { createWorkerReporter } from '../../executor/report-worker.ts';
import { externalOver } from './external-over.ts';

/** Options of an external worker. All have defaults. */
export interface ExternalOptions {
  /** Types whose retry policies apply if a failure names no number of tries. Default: the job's own policy, or 3 tries with backoff. */
  readonly types?: readonly AnyJobType[];
  /** The lanes to fetch from. `fifo` is the queue of grouped jobs. Default: all. */
  readonly lanes?: readonly string[];
  /** Environment variables. Default: those of the process; `workerEnvironment` of the construct gives them. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Receives what happened, for logs and metrics. Default: none. */
  readonly journal?: Journal;
}

/**
 * Jobs of a worker for code that is not ours: fetched, locked and answered over this session. Throws InvalidConfigurationError for a
 * worker that the deployment does not have, MissingEnvironmentError without an environment.
 */
export function external(worker: string, options: ExternalOptions = {}): External {
  checkOptions(options, ['types', 'lanes', 'environment', 'journal'], 'options');
  const environment = options.environment ?? systemEnvironment();
  const deployment = { ...decodeEnvironment(environment), worker: checkWorkerName(worker) };
  const queues = queuesOf(deployment, worker, options.lanes);
  const [clock, entropy, journal] = [systemClock, systemEntropy, options.journal ?? silentJournal];
  const endpoint = environment['AWS_ENDPOINT_URL_SQS'];
  const client = createPollingClient(endpoint === undefined ? {} : { endpoint });
  const source = createSqsSource({ client, workers: deployment.workers, clock, entropy, journal });
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const aws = connectAws(createAwsClients(environment), deployment, { clock, entropy, journal });
  const sums = createSums()({ deployment, tables: aws.tables, journal, clock });
  const ports = { deployment, ...aws, journal: sums.journal, errorGroups: sums.errorGroups, clock, entropy };
  const deps = executorDeps([], { log: () => silent, sandbox: processSandbox }).over(ports);
  const reporter = createWorkerReporter({ kind: 'outside', types: [EVERY_TYPE], version: PACKAGE_VERSION });
  const session = externalOver({ ...deps, reporter, handlers: new EveryType(worker, options.types ?? []) }, { source, queues });
  beforeProcessEnds(async () => sums.flush(true));
  return flushAfter(session, async () => sums.flush());
}
