import type { Deployment, WorkerQueues } from '../../shared/config/environment.ts';
import { ownQueues } from '../../shared/config/own-deployment.ts';
import { resolveSettings } from '../../shared/config/settings.ts';
import { defined } from '../../shared/job/defined.ts';
import { InvalidConfigurationError, InvalidInputError, kindOf, shown } from '../../shared/job/errors.ts';
import { instantMs } from '../../shared/job/instant.ts';
import type { AnyJobType, HandledJob } from '../../shared/job/job-type.ts';
import type { JobLog } from '../../shared/job/job-log.ts';
import { DEFAULT_RETRY, parseRetryPolicy } from '../../shared/job/retry-policy.ts';
import { createMemoryHints, type MemoryHints } from '../../shared/adapters/memory/hints.ts';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';
import type { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables, type MemoryTables } from '../../shared/adapters/memory/tables.ts';
import type { Entropy } from '../../shared/ports/entropy.ts';
import type { QueueRef } from '../../shared/ports/hints.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import type { ExecutorDeps } from '../../functions/executor/deps.ts';
import { createRulesCache } from '../../functions/executor/gates/rules.ts';
import { workerLimits } from '../../functions/executor/configure-executor.ts';
import type { KitWorkerOptions, TestKitOptions } from './kit-options.ts';
import { allQueues } from './event-source.ts';
import { type KitEvents, kitEvents } from './kit-events.ts';
import { KitClock } from './kit-clock.ts';
import { KitRuns } from './kit-runs.ts';

/** Everything a deployment consists of, in memory. */
export interface KitWorld {
  readonly clock: SettableClock;
  readonly tables: MemoryTables;
  readonly hints: MemoryHints;
  readonly journal: KitRuns;
  readonly events: KitEvents;
  readonly entropy: Entropy;
  readonly deployment: Deployment;
  readonly handlers: ReadonlyMap<string, HandledJob>;
  readonly queues: readonly QueueRef[];
  readonly ownItems: readonly unknown[];
  readonly maxRuns: number;
  partsOf(worker: string): ExecutorDeps;
  nextRequestId(): string;
}

const SILENT: JobLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Builds a deployment in memory with the workers of the given types. */
export function createWorld(given: readonly (HandledJob | AnyJobType)[], options: TestKitOptions): KitWorld {
  const handlers = handlersOf(given);
  const clock = new KitClock(...(options.now === undefined ? [] : [instantMs(options.now, 'now')]));
  const settings = resolveSettings({ batchConcurrency: 1, ...options.settings });
  const workers = workersOf(given, options.workers);
  const deployment: Deployment = {
    tables: Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>,
    workers,
    settings,
    history: options.history ?? 'outcome',
    metrics: 'off',
    ...(options.eventLog === true ? { events: { log: true } } : {}),
  };
  const journal = new KitRuns();
  const hints = createMemoryHints({ clock, workers, visibilityMs: 6 * settings.executorTimeoutMs, exactDelays: true });
  const ownItems: unknown[] = [];
  const tables = createMemoryTables({
    clock,
    beside: (items) => {
      const held = options.transact?.(items) ?? true;
      if (held) ownItems.push(...items);
      return held;
    },
  });
  const shared = { clock, tables, hints, journal, deployment, entropy: orderedEntropy(options.seed ?? 1) };
  const events = kitEvents(shared, options);
  const { isConflict, onError, onSession, retryFor, tracing, log = () => SILENT } = options;
  const deps: ExecutorDeps = {
    ...shared,
    journal: events.functions,
    flushEvents: () => events.flush(),
    inbox: hints,
    sandbox: { end: () => {} },
    handlers,
    around: [journal.around, ...(options.around ?? [])],
    // Time stands still in a kit, so a cached answer would never expire.
    rules: createRulesCache(0),
    ...workerLimits(handlers, options),
    retry: options.retry === undefined ? DEFAULT_RETRY : parseRetryPolicy(options.retry),
    ...defined({ isConflict, onError, onSession, retryFor, tracing }),
    log,
  };
  let requests = 0;
  return {
    ...shared,
    events,
    handlers,
    queues: allQueues(workers),
    ownItems,
    maxRuns: options.maxRuns ?? 10_000,
    partsOf: (worker) => ({ ...deps, deployment: { ...deployment, worker } }),
    nextRequestId: () => `request-${++requests}`,
  };
}

const isHandled = (one: HandledJob | AnyJobType): one is HandledJob => 'handler' in one;

function handlersOf(given: readonly (HandledJob | AnyJobType)[]): ReadonlyMap<string, HandledJob> {
  if (!Array.isArray(given)) throw new InvalidInputError('handlers', kindOf(given), 'Give an array of jobType.handle(...).');
  const handlers = new Map<string, HandledJob>();
  for (const one of (given as readonly (HandledJob | AnyJobType)[]).filter(isHandled)) {
    if (handlers.has(one.type.name)) throw new InvalidConfigurationError(`handlers: job type ${shown(one.type.name)} has two. Keep one.`);
    handlers.set(one.type.name, one);
  }
  return handlers;
}

function workersOf(given: readonly (HandledJob | AnyJobType)[], more: TestKitOptions['workers'] = []): ReadonlyMap<string, WorkerQueues> {
  const named: Readonly<Record<string, KitWorkerOptions>> = Array.isArray(more) ? Object.fromEntries(more.map((name) => [name, {}])) : more;
  const names = new Set(['default', ...given.map((one) => (isHandled(one) ? one.type.worker : one.worker)), ...Object.keys(named)]);
  return new Map([...names].map((name) => [name, ownQueues('memory', name, named[name])]));
}

/** Seeded randomness whose bytes start with a counter: ids of one due time sort in the order in which they were drawn. */
function orderedEntropy(seed: number): Entropy {
  const entropy = seededEntropy(seed);
  let drawn = 0;
  return {
    random: () => entropy.random(),
    token: () => entropy.token(),
    bytes: (count) => {
      const drawnBytes = entropy.bytes(count);
      drawn += 1;
      for (let at = 0; at < 4 && at + 2 < count; at += 1) drawnBytes[at + 2] = (drawn >>> (8 * (3 - at))) & 0xff;
      drawnBytes.fill(0, 0, Math.min(2, count));
      return drawnBytes;
    },
  };
}
