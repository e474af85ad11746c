import middy from '@middy/core';
import { type Deployment, decodeEnvironment } from '../config/environment.ts';
import { defined } from '../job/defined.ts';
import { systemClock, systemEntropy, systemEnvironment } from '../adapters/system.ts';
import { createPowertoolsJournal } from '../adapters/observability/powertools-journal.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Backlog, HintSender, Inbox } from '../ports/hints.ts';
import type { EventSink, OnEvent } from '../ports/event-sink.ts';
import type { Journal } from '../ports/journal.ts';
import type { OwnPorts } from '../ports/own-ports.ts';
import type { Invocation } from '../ports/sandbox.ts';
import type { Tables } from '../ports/tables.ts';
import type { Tracing } from '../ports/tracing.ts';
import { busSinks } from './bus-sinks.ts';
import type { BatchSupport } from '../adapters/dynamodb/batch-support.ts';
import { type AwsClients, connectAws, createAwsClients, createBatchSupport } from './connect.ts';
import { createEvents } from './connect-events.ts';
import { type ConnectedSums, createSums } from './connect-sums.ts';
import { type PermissionWatch, watchPermissions } from './permission-watch.ts';
import { reportUnknownSettings } from './unknown-settings.ts';

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
  /** Called in this process for each event, at once. What it throws is journalled. */
  readonly onEvent?: OnEvent;
  /** Further destinations of events, in addition to those of the deployment. */
  readonly eventSinks?: readonly EventSink[];
  /** A store, a queue or both of one's own. Default: DynamoDB and SQS. */
  readonly ports?: OwnPorts;
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
  /** Why this process makes its writes one by one, if the store refused them in batches. */
  readonly batchRefusal: () => string | undefined;
  /** The permission that the store last found missing, if it did lately. */
  readonly missingPermission: () => string | undefined;
  readonly errorGroups: ConnectedSums['errorGroups'];
  /** Delivers events that were gathered and writes what was summed up, `all` of it when the process ends for good; never rejects. It happens by itself when the work has ended. */
  readonly flushEvents: (all?: boolean) => Promise<void>;
}

/** A function of the deployment: its name in logs, a check of its settings, and its work. */
export interface FunctionWork<Event, Result> extends FunctionOptions {
  readonly service: 'executor' | 'acquirer' | 'sweeper' | 'cleaner' | 'api';
  /** Names the current span in the lines of the default journal. */
  readonly tracing?: Tracing;
  /** Called once, when the settings were read; throws to refuse them. */
  readonly check?: (deployment: Deployment) => void;
  readonly work: (call: Call, event: Event) => Promise<Result>;
}

/**
 * A Lambda handler: reads its settings at the first invocation, wires the ports for each one and writes the journal out when it
 * ends. The caller has checked the options. A middy handler, so that `.use(...)` adds middleware. middy's early timeout is off: it would respond while work continues.
 */
export function lambdaHandler<Event, Result>(options: FunctionWork<Event, Result>): FunctionHandler<Event, Result> {
  let started: { readonly deployment: Deployment; readonly clients: AwsClients } | undefined;
  const [events, sums, own] = [createEvents(), createSums(), options.ports ?? {}];
  let bus: readonly EventSink[] | undefined;
  let watch: PermissionWatch | undefined;
  let batches: BatchSupport | undefined;
  const start = (): { readonly deployment: Deployment; readonly clients: AwsClients } => {
    const deployment = decodeEnvironment(options.environment ?? systemEnvironment());
    options.check?.(deployment);
    return { deployment, clients: createAwsClients(options.environment) };
  };
  const handler = async (event: Event, context: LambdaContext): Promise<Result> => {
    const first = started === undefined;
    started ??= start();
    const { deployment, clients } = started;
    const [clock, entropy] = [systemClock, systemEntropy];
    const invocation = { requestId: context.awsRequestId, deadlineAt: clock.now() + context.getRemainingTimeInMillis() };
    const named = defined({ worker: deployment.worker, tracing: options.tracing });
    // Kept for all invocations, which come one after another: Powertools reads the environment whenever a logger is made.
    watch ??= watchPermissions(
      options.journal ?? createPowertoolsJournal({ metrics: deployment.metrics, service: options.service, ...named }),
      clock,
    );
    const { journal: plain, missing: missingPermission } = watch;
    if (first) reportUnknownSettings(deployment, plain);
    batches ??= createBatchSupport(deployment, plain);
    const terms = { clock, entropy, journal: plain, deadlineAt: invocation.deadlineAt, batches, own };
    const { tables, hints } = connectAws(clients, deployment, terms);
    bus ??= busSinks(deployment, options.environment);
    const sinks = [...bus, ...(options.eventSinks ?? [])];
    const told = events({ deployment, tables, journal: plain, clock, entropy, sinks, onEvent: options.onEvent });
    const { journal, errorGroups, flush: flushSums } = sums({ deployment, tables, journal: told.journal, clock });
    const flushEvents = async (all = false): Promise<void> => void (await Promise.all([told.flush(), flushSums(all)]));
    const batchRefusal = (): string | undefined => batches?.refusal?.reason;
    const reported = { batchRefusal, missingPermission };
    const call = { deployment, tables, hints, journal, clock, entropy, invocation, errorGroups, flushEvents, ...reported };
    try {
      return await options.work(call, event);
    } finally {
      await within(flushEvents(), invocation.deadlineAt - LEFT_AFTER_EVENTS_MS - clock.now());
      journal.flush();
    }
  };
  return middy<Event, Result>({ timeoutEarlyInMillis: 0 }).handler(handler) as unknown as FunctionHandler<Event, Result>;
}

/** Events that no sink has taken by then are lost: if the invocation timed out, all its messages would be redelivered. */
const LEFT_AFTER_EVENTS_MS = 1_000;

async function within(work: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, systemClock.wait(ms, over.signal)]);
  over.abort('the work has ended');
}
