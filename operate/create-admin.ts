import { createEvents } from '../shared/lambda/connect-events.ts';
import { connectAws, createAwsClients } from '../shared/lambda/connect.ts';
import { namedConnection } from '../shared/config/connection-name.ts';
import { decodeEnvironment } from '../shared/config/environment.ts';
import { systemClock, systemEntropy, systemEnvironment } from '../shared/adapters/system.ts';
import { defined } from '../shared/job/defined.ts';
import { silentJournal } from '../shared/adapters/observability/silent-journal.ts';
import { flushAfter } from '../shared/adapters/observability/flush-after.ts';
import type { AnyJobType } from '../shared/job/job-type.ts';
import { checkText } from '../shared/job/names.ts';
import { checkEachOption, checkedInUse, listOf, type OptionChecks, withMethods } from '../shared/job/option-checks.ts';
import { CONNECTION_CHECKS } from '../shared/ports/connection-checks.ts';
import type { EventSink, OnEvent } from '../shared/ports/event-sink.ts';
import type { Journal } from '../shared/ports/journal.ts';
import type { OwnPorts } from '../shared/ports/own-ports.ts';
import { type Admin, createAdminOver } from './admin.ts';
import { PUT_WINDOW_MS } from './wait-for-put-window.ts';

/** Options of an operator's session. All have defaults. */
export interface AdminOptions {
  /** Environment variables. Default: those of the process, as `connectOperator(fn)` of the construct sets them. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The deployment, by the name that `connectOperator(fn, { name })` gave it. Default: the one that was connected without a name. */
  readonly deployment?: string;
  /** Receives what happened, for logs and metrics. Default: none. */
  readonly journal?: Journal;
  /** Called in this process for each event that the operator's verbs cause. */
  readonly onEvent?: OnEvent;
  /** Further destinations of those events, in addition to the deployment's log. */
  readonly eventSinks?: readonly EventSink[];
  /** The actor in the audit, if a call names none. Default `operator`. */
  readonly actor?: string;
  /** Job types. Edited payloads of their jobs are checked against their schemas, those of other types as JSON only. Default: none. */
  readonly jobs?: readonly AnyJobType[];
  /** A store, a queue or both of one's own. Default: DynamoDB and SQS. */
  readonly ports?: OwnPorts;
}

const CHECKS: OptionChecks<AdminOptions> = {
  ...CONNECTION_CHECKS,
  deployment: checkedInUse,
  actor: (field, value) => void checkText(value, field),
  jobs: listOf(withMethods(['handle'], 'Give job types, made by defineJob.')),
};

const FORGOTTEN =
  'executor.connectOperator(fn) on the JobExecutor construct, or operatorEnvironment() of it for a process elsewhere; deploymentEnvironment() with ports of your own; the command line has --stack';

/**
 * The operator's verbs against a deployment. Throws at once: InvalidInputError for a wrong option, InvalidConfigurationError for a `deployment` that
 * could not be a connection, and when the environment is missing or broken, naming the variable.
 */
export function createAdmin(options: AdminOptions = {}): Admin {
  checkEachOption(options, CHECKS);
  const deployment = decodeEnvironment(options.environment ?? systemEnvironment(), {
    forgotten: FORGOTTEN,
    ...namedConnection(options.deployment, 'connectOperator'),
  });
  const [clock, entropy, plain] = [systemClock, systemEntropy, options.journal ?? silentJournal];
  const { actor, jobs = [] } = options;
  const jobTypes = new Map(jobs.map((type) => [type.name, type]));
  const clients = createAwsClients(options.environment);
  const own = options.ports ?? {};
  const terms = { clock, entropy, journal: plain, own };
  const { tables, hints } = connectAws(clients, deployment, terms);
  const { onEvent, eventSinks = [] } = options;
  const { journal, flush } = createEvents()({ deployment, tables, journal: plain, clock, entropy, sinks: eventSinks, onEvent });
  const admin = createAdminOver({
    deployment,
    tables,
    // Copies are DynamoDB tables with other names than the deployment's.
    ...(own.tables === undefined && {
      tablesNamed: (names) => connectAws(clients, { ...deployment, tables: { ...deployment.tables, ...names } }, terms).tables,
    }),
    hints,
    backlog: hints,
    journal,
    clock,
    entropy,
    jobTypes,
    putWindowMs: PUT_WINDOW_MS,
    ...defined({ actor }),
  });
  return flushAfter(admin, async () => {
    await flush();
    plain.flush();
  });
}
