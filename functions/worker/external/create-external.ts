import { connectAws, createAwsClients } from '../../../shared/lambda/connect.ts';
import { connectSource } from '../../../shared/lambda/connect-source.ts';
import { reportUnknownSettings } from '../../../shared/lambda/unknown-settings.ts';
import { busSinks } from '../../../shared/lambda/bus-sinks.ts';
import { createEvents } from '../../../shared/lambda/connect-events.ts';
import { createSums } from '../../../shared/lambda/connect-sums.ts';
import { decodeEnvironment } from '../../../shared/config/environment.ts';
import { PACKAGE_VERSION } from '../../../shared/config/package-version.ts';
import { beforeProcessEnds, processSandbox, systemClock, systemEntropy, systemEnvironment } from '../../../shared/adapters/system.ts';
import type { AnyJobType } from '../../../shared/job/job-type.ts';
import { checkWorkerName } from '../../../shared/job/names.ts';
import { checkedInUse, checkEachOption, listOf, type OptionChecks, withMethods } from '../../../shared/job/option-checks.ts';
import { presentName } from '../../../shared/job/worker-names.ts';
import { flushAfter } from '../../../shared/adapters/observability/flush-after.ts';
import { silentJournal, silentLog } from '../../../shared/adapters/observability/silent-journal.ts';
import type { Journal } from '../../../shared/ports/journal.ts';
import { CONNECTION_CHECKS } from '../../../shared/ports/connection-checks.ts';
import { checkPollingPorts, type OwnPorts } from '../../../shared/ports/own-ports.ts';
import { EVERY_TYPE } from '../../../shared/features/workers/store/worker-rows.ts';
import { configureExecutor } from '../../executor/configure-executor.ts';
import { queuesOf } from '../queues-of.ts';
import { EveryType } from './every-type.ts';
import type { External } from './external.ts';
import { createWorkerReporter, knownCodecs } from '../../executor/report-worker.ts';
import { externalOver } from './external-over.ts';

/** Options of an external worker. All have defaults. */
export interface ExternalOptions {
  /**
   * Types whose `retry`, `history` and `onExpiry` apply, and whose payloads are lifted and decoded before they are handed out. A job of
   * another type has 3 tries with backoff, unless it has a policy of its own, and its payload is handed out as it is stored.
   */
  readonly types?: readonly AnyJobType[];
  /** The lanes to fetch from. `fifo` is the FIFO queue. Default: all lanes, and that queue. */
  readonly lanes?: readonly string[];
  /** Environment variables. Default: those of the process; `workerEnvironment` of the construct gives them. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Receives events, for logs and metrics. Default: none. */
  readonly journal?: Journal;
  /** A store, a queue or both of one's own; `source` goes with `hints`. Default: DynamoDB and SQS. */
  readonly ports?: OwnPorts;
}

const { environment, journal, ports } = CONNECTION_CHECKS;
const CHECKS: OptionChecks<ExternalOptions> = {
  environment,
  journal,
  ports,
  types: listOf(withMethods(['handle'], 'Give job types, made by defineJob.')),
  lanes: checkedInUse,
};

/**
 * Opens a session in which foreign code fetches, locks and completes jobs of a worker. Throws InvalidInputError for a wrong option,
 * InvalidConfigurationError for a worker that the deployment does not have, MissingEnvironmentError without an environment.
 */
export function external(worker: string, options: ExternalOptions = {}): External {
  checkEachOption(options, CHECKS);
  const own = checkPollingPorts(options.ports);
  const environment = options.environment ?? systemEnvironment();
  const decoded = decodeEnvironment(environment);
  const deployment = { ...decoded, worker: presentName(decoded.workers, checkWorkerName(worker)) };
  const queues = queuesOf(deployment, worker, options.lanes);
  const [clock, entropy, journal] = [systemClock, systemEntropy, options.journal ?? silentJournal];
  reportUnknownSettings(deployment, journal);
  const { source } = connectSource(own, deployment, { clock, entropy, journal, environment });
  const aws = connectAws(createAwsClients(environment), deployment, { clock, entropy, journal, own });
  const sinks = busSinks(deployment, environment);
  const events = createEvents()({ deployment, tables: aws.tables, journal, clock, entropy, sinks });
  const sums = createSums()({ deployment, tables: aws.tables, journal: events.journal, clock });
  const ports = { deployment, ...aws, journal: sums.journal, errorGroups: sums.errorGroups, clock, entropy };
  const deps = configureExecutor([], { log: () => silentLog, sandbox: processSandbox }).connect(ports);
  const handlers = new EveryType(worker, options.types ?? []);
  const known = { types: [EVERY_TYPE], versions: handlers.versions(), codecs: knownCodecs(handlers) };
  const reporter = createWorkerReporter({ kind: 'outside', ...known, version: PACKAGE_VERSION });
  const session = externalOver({ ...deps, reporter, handlers }, { source, queues });
  beforeProcessEnds(async () => sums.flush(true));
  return flushAfter(session, async () => void (await Promise.all([events.flush(), sums.flush()])));
}
