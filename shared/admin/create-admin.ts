import { createEvents } from '../lambda/connect-events.ts';
import { connectAws, createAwsClients } from '../lambda/connect.ts';
import { decodeEnvironment } from '../config/environment.ts';
import { systemClock, systemEntropy, systemEnvironment } from '../config/system.ts';
import { defined } from '../core/defined.ts';
import { silentJournal } from '../adapters/observability/silent-journal.ts';
import { flushAfter } from '../adapters/observability/flush-after.ts';
import type { AnyJobType } from '../core/job-type.ts';
import type { EventSink, OnEvent } from '../ports/event-sink.ts';
import type { Journal } from '../ports/journal.ts';
import { type Admin, createAdminOver } from './admin.ts';
import { PUT_WINDOW_MS } from './wait-for-put-window.ts';

/** Options of an operator's session. All have defaults. */
export interface AdminOptions {
  /** Environment variables. Default: those of the process, with the variables that the construct gives its functions. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Receives what happened, for logs and metrics. */
  readonly journal?: Journal;
  /** Called in this process for each event that the operator's verbs cause. */
  readonly onEvent?: OnEvent;
  /** Further destinations of those events, besides the deployment's log. */
  readonly eventSinks?: readonly EventSink[];
  /** The actor in the audit, if a call names none. Default `operator`. */
  readonly actor?: string;
  /** The job types of the deployment. Edited payloads are checked against their schemas. Default: checked as JSON only. */
  readonly jobs?: readonly AnyJobType[];
}

const FORGOTTEN =
  'executor.connectOperator(fn) on the JobExecutor construct, or operatorEnvironment() of it for a process elsewhere; the command line has --stack';

/** The operator's verbs against a deployment. Throws at once when the environment is missing or broken, naming the variable. */
export function createAdmin(options: AdminOptions = {}): Admin {
  const deployment = decodeEnvironment(options.environment ?? systemEnvironment(), FORGOTTEN);
  const [clock, entropy, plain] = [systemClock, systemEntropy, options.journal ?? silentJournal];
  const { actor, jobs = [] } = options;
  const jobTypes = new Map(jobs.map((type) => [type.name, type]));
  const { tables, hints } = connectAws(createAwsClients(options.environment), deployment, { clock, entropy, journal: plain });
  const { onEvent, eventSinks = [] } = options;
  const { journal, flush } = createEvents()({ deployment, tables, journal: plain, clock, entropy, sinks: eventSinks, onEvent });
  const admin = createAdminOver({
    deployment,
    tables,
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
