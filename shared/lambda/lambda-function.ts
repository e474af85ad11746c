import middy from '@middy/core';
import { type Deployment, decodeEnvironment } from '../config/environment.ts';
import { systemClock, systemEntropy, systemEnvironment } from '../config/system.ts';
import { createPowertoolsJournal } from '../adapters/observability/powertools-journal.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Backlog, HintSender, Inbox } from '../ports/hints.ts';
import type { EventSink, OnEvent } from '../ports/event-sink.ts';
import type { Journal } from '../ports/journal.ts';
import type { Invocation } from '../ports/sandbox.ts';
import type { Tables } from '../ports/tables.ts';
import type { ErrorGroupSums } from '../features/error-groups/store/error-group-sums.ts';
import { busSinks } from './bus-sinks.ts';
import { type AwsClients, connectAws, createAwsClients } from './connect.ts';
import { createEvents } from './connect-events.ts';
import { createSums } from './connect-sums.ts';

/** What the functions need of Lambda's context. */
export interface LambdaContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** A middleware of middy, as far as this package's types name it: users need no types of middy's own. */
export interface FunctionMiddleware {
  readonly before?: (request: never) => unknown;
  readonly after?: (request: never) => unknown;
  readonly onError?: (request: never) => unknown;
}

/** A Lambda handler that takes middleware around each invocation, in middy's order. */
export interface FunctionHandler<Event, Result> {
  (event: Event, context: LambdaContext): Promise<Result>;
  use(middleware: FunctionMiddleware | readonly FunctionMiddleware[]): FunctionHandler<Event, Result>;
}

/** Options of every function. All have defaults. */
export interface FunctionOptions {
  /** Environment variables. Default: those of the process, as the JobExecutor construct sets them. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Receives what happened, for logs and metrics. Default: Powertools. */
  readonly journal?: Journal;
  /** Called in this process for each event, at once. Errors that it throws are journalled. */
  readonly onEvent?: OnEvent;
  /** Further destinations of events, besides those of the deployment. */
  readonly eventSinks?: readonly EventSink[];
}

/** The ports of one invocation: no request outlasts its deadline. */
export interface Call {
  readonly deployment: Deployment;
  readonly tables: Tables;
  readonly hints: HintSender & Inbox & Backlog;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly invocation: Invocation;
  readonly errorGroups: ErrorGroupSums;
  /** Delivers events that were gathered and writes what was summed up, `all` of it when the process ends for good; never rejects. It happens by itself when the work has ended. */
  readonly flushEvents: (all?: boolean) => Promise<void>;
}

/** A function of the deployment: its name in logs, a check of its settings, and its work. */
export interface FunctionWork<Event, Result> extends FunctionOptions {
  readonly service: 'executor' | 'acquirer' | 'sweeper';
  /** Called once, when the settings were read; throws to refuse them. */
  readonly check?: (deployment: Deployment) => void;
  readonly work: (call: Call, event: Event) => Promise<Result>;
}

/**
 * A Lambda handler: reads its settings at the first invocation, wires the ports for each one and writes the journal out when it
 * ends. A middy handler, so that `.use(...)` adds middleware. middy's early timeout is off: it would answer for work that goes on.
 */
export function lambdaFunction<Event, Result>(options: FunctionWork<Event, Result>): FunctionHandler<Event, Result> {
  let started: { readonly deployment: Deployment; readonly clients: AwsClients } | undefined;
  const [events, sums] = [createEvents(), createSums()];
  let bus: readonly EventSink[] | undefined;
  let journalOfAll = options.journal;
  const start = (): { readonly deployment: Deployment; readonly clients: AwsClients } => {
    const deployment = decodeEnvironment(options.environment ?? systemEnvironment());
    options.check?.(deployment);
    return { deployment, clients: createAwsClients(options.environment) };
  };
  const handler = async (event: Event, context: LambdaContext): Promise<Result> => {
    started ??= start();
    const { deployment, clients } = started;
    const [clock, entropy] = [systemClock, systemEntropy];
    const invocation = { requestId: context.awsRequestId, deadlineAt: clock.now() + context.getRemainingTimeInMillis() };
    const worker = deployment.worker === undefined ? {} : { worker: deployment.worker };
    // Kept for all invocations, which come one after another: Powertools reads the environment whenever a logger is made.
    const plain = (journalOfAll ??= createPowertoolsJournal({ metrics: deployment.metrics, service: options.service, ...worker }));
    const { tables, hints } = connectAws(clients, deployment, { clock, entropy, journal: plain, deadlineAt: invocation.deadlineAt });
    bus ??= busSinks(deployment, options.environment);
    const sinks = [...bus, ...(options.eventSinks ?? [])];
    const told = events({ deployment, tables, journal: plain, clock, entropy, sinks, onEvent: options.onEvent });
    const { journal, errorGroups, flush: flushSums } = sums({ deployment, tables, journal: told.journal, clock });
    const flushEvents = async (all = false): Promise<void> => void (await Promise.all([told.flush(), flushSums(all)]));
    const call = { deployment, tables, hints, journal, clock, entropy, invocation, errorGroups, flushEvents };
    try {
      return await options.work(call, event);
    } finally {
      await within(flushEvents(), invocation.deadlineAt - LEFT_AFTER_EVENTS_MS - clock.now());
      journal.flush();
    }
  };
  return middy<Event, Result>({ timeoutEarlyInMillis: 0 }).handler(handler) as unknown as FunctionHandler<Event, Result>;
}

/** Events that no sink has taken by then are lost: an invocation that runs out of time would have all its messages come back. */
const LEFT_AFTER_EVENTS_MS = 1_000;

async function within(work: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, systemClock.wait(ms, over.signal)]);
  over.abort('the work has ended');
}
