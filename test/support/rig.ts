import { type AcquirerReport, acquireTimers } from '../../functions/acquirer/acquire-timers.ts';
import type { AcquirerShare } from '../../functions/acquirer/acquirer-share.ts';
import { sweep, type SweepReport } from '../../functions/sweeper/sweep.ts';
import type { BeforeCreate } from '../../shared/client/job-draft.ts';
import { createClient, type JobClient } from '../../shared/client/job-client.ts';
import type { Deployment, WorkerQueues } from '../../shared/config/environment.ts';
import { resolveSettings, type SettingName } from '../../shared/config/settings.ts';
import type { HandledJob } from '../../shared/job/job-type.ts';
import { DEFAULT_RETRY } from '../../shared/job/retry-policy.ts';
import { WorkersByName } from '../../shared/job/worker-names.ts';
import { createMemoryHints, type MemoryHints } from '../../shared/adapters/memory/hints.ts';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import type { QueueRef, ReceivedHint } from '../../shared/ports/hints.ts';
import type { Gauge, Journal, JournalEntry, JournalEvent } from '../../shared/ports/journal.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { Row, RowKey, TableName, Tables } from '../../shared/ports/tables.ts';
import type { Around, ExecutorDeps } from '../../functions/executor/deps.ts';
import { createWorkerReporter, knownTypes } from '../../functions/executor/report-worker.ts';
import { createRulesCache } from '../../functions/executor/gates/rules.ts';
import { invokeExecutor, allQueues } from '../../testing/kit/event-source.ts';
import { counted, rigTables } from './rig-tables.ts';

export { anyPayload } from './any-payload.ts';

/** How a rig differs from the default: one worker with a FIFO queue, memory tables, a clock that stands still. */
export interface RigOptions {
  readonly handlers?: readonly HandledJob[];
  readonly settings?: Partial<Record<SettingName, number>>;
  readonly workers?: Readonly<Record<string, WorkerQueues>>;
  readonly history?: Deployment['history'];
  readonly tables?: Tables;
  readonly clock?: SettableClock;
  readonly around?: readonly Around[];
  readonly beforeCreate?: readonly BeforeCreate[];
  readonly isConflict?: (error: unknown) => boolean;
  readonly seed?: number;
  /** The worker reports under this version, as one in a deployment does; default: it does not. */
  readonly version?: string;
}

/** A journal that remembers. */
export interface RecordingJournal extends Journal {
  readonly entries: JournalEntry[];
  readonly gauges: Gauge[];
  count(event: JournalEvent): number;
}

function recordingJournal(): RecordingJournal {
  const entries: JournalEntry[] = [];
  const gauges: Gauge[] = [];
  return {
    entries,
    gauges,
    record: (entry) => void entries.push(entry),
    gauge: (gauge) => void gauges.push(gauge),
    flush: () => {},
    count: (event) => entries.filter((entry) => entry.event === event).reduce((sum, entry) => sum + (entry.count ?? 1), 0),
  };
}

const reporterOf = (handlers: ReadonlyMap<string, HandledJob>) =>
  createWorkerReporter({ kind: 'lambda', ...knownTypes(handlers), version: 'none' });

const DEFAULT_WORKERS: Readonly<Record<string, WorkerQueues>> = {
  default: {
    lanes: { default: 'queue/default' },
    fifo: 'queue/default.fifo',
    deadLetterQueue: 'queue/dlq',
    fifoDeadLetterQueue: 'queue/dlq.fifo',
  },
};

/**
 * The production code over given tables and queues in memory, with a settable clock: `deliver` is one round of
 * the event source, `fire` a tick of the acquirer, `sweep` one of the sweeper.
 */
export class Rig {
  readonly clock: SettableClock;
  readonly tables: Tables;
  readonly hints: MemoryHints;
  readonly journal = recordingJournal();
  readonly client: JobClient;
  readonly deps: ExecutorDeps;
  readonly deployment: Deployment;
  /** Waits until every pending request has settled, and everything that it woke has run. */
  readonly settle: () => Promise<void>;
  sandboxEnds = 0;
  #requests = 0;

  constructor(options: RigOptions = {}) {
    this.clock = options.clock ?? new SettableClock();
    const { tables: countedTables, settle } = counted(options.tables ?? rigTables(this.clock));
    this.tables = countedTables;
    this.settle = settle;
    const workers = new WorkersByName(Object.entries(options.workers ?? DEFAULT_WORKERS));
    const settings = resolveSettings(options.settings);
    this.deployment = {
      tables: Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>,
      workers,
      settings,
      history: options.history ?? 'outcome',
      metrics: 'off',
      worker: 'default',
      ...(options.version === undefined ? {} : { version: options.version }),
    };
    this.hints = createMemoryHints({ clock: this.clock, workers, visibilityMs: 6 * settings.executorTimeoutMs });
    const { clock, tables, hints, journal, deployment } = this;
    const entropy = seededEntropy(options.seed ?? 1);
    const shared = { clock, tables, hints, journal, deployment, entropy };
    this.client = createClient({ ...shared, beforeCreate: options.beforeCreate ?? [] }, (writes) => writes as never);
    const handlers = new Map((options.handlers ?? []).map((handled) => [handled.type.name, handled]));
    this.deps = {
      ...shared,
      inbox: hints,
      sandbox: { end: () => void this.sandboxEnds++ },
      handlers,
      around: options.around ?? [],
      rules: createRulesCache(),
      ...(options.version === undefined ? {} : { reporter: reporterOf(handlers) }),
      retry: DEFAULT_RETRY,
      ...(options.isConflict === undefined ? {} : { isConflict: options.isConflict }),
      log: () => ({ debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }),
    };
  }

  /** All queues that this deployment has. */
  get queues(): readonly QueueRef[] {
    return allQueues(this.deployment.workers);
  }

  /** An invocation that starts now. */
  invocation(): { requestId: string; deadlineAt: number } {
    return { requestId: `request-${++this.#requests}`, deadlineAt: this.clock.now() + this.deployment.settings.executorTimeoutMs };
  }

  /** Runs one delivery batch as the event source does: messages that are not reported are acknowledged. Returns the ids that came back. */
  async execute(messages: readonly ReceivedHint[], deps: ExecutorDeps = this.deps): Promise<readonly string[]> {
    return invokeExecutor(deps, this.hints, messages, this.invocation());
  }

  /** One round over all queues; how many messages were received. */
  async deliver(max = 10, deps: ExecutorDeps = this.deps): Promise<number> {
    let count = 0;
    for (const queue of this.queues) {
      const messages = this.hints.receive(queue, max);
      count += messages.length;
      if (messages.length > 0) await this.execute(messages, deps);
    }
    return count;
  }

  /** Delivers until no message is visible. */
  async drain(deps: ExecutorDeps = this.deps): Promise<void> {
    for (let round = 0; round < 200; round++) if ((await this.deliver(10, deps)) === 0) return;
    throw new Error('The queues did not run dry in 200 rounds.');
  }

  /** The result of work that waits on the clock: advances time in steps of `stepMs` until it has ended, at most 2,000 of them. */
  async until<Result>(work: Promise<Result>, stepMs = 100): Promise<Result> {
    let ended = false;
    const end = (): void => void (ended = true);
    work.then(end, end);
    for (let step = 0; step < 2_000; step++) {
      await this.settle();
      if (ended) return work;
      await this.clock.advance(stepMs);
    }
    throw new Error(`The work did not end in ${2_000 * stepMs} ms.`);
  }

  async fire(share: AcquirerShare = { acquirer: 0, of: 1 }): Promise<AcquirerReport> {
    return acquireTimers(this.deps, share, { requestId: 'tick', deadlineAt: this.clock.now() + 60_000 });
  }

  async sweep(): Promise<SweepReport> {
    return sweep({ ...this.deps, backlog: this.hints }, { requestId: 'tick', deadlineAt: this.clock.now() + 60_000 }, true);
  }

  /** Every row of a table, by a scan. */
  async rows(table: TableName): Promise<readonly Row[]> {
    const rows: Row[] = [];
    let after: RowKey | undefined;
    do {
      const page = await this.tables.scan({ table, segment: 0, segments: 1, limit: 1_000, ...(after === undefined ? {} : { after }) });
      rows.push(...page.rows);
      after = page.cursor;
    } while (after !== undefined);
    return rows;
  }

  /** The number of rows by table. */
  async counts(): Promise<Readonly<Record<TableName, number>>> {
    const counts = await Promise.all(TABLE_NAMES.map(async (name) => [name, (await this.rows(name)).length] as const));
    return Object.fromEntries(counts) as Record<TableName, number>;
  }
}
