import { type AcquirerReport, acquireTimers } from '../../../functions/acquirer/acquire-timers.ts';
import { type SweepReport, sweep } from '../../../functions/sweeper/sweep.ts';
import { createClient, type JobClient } from '../../../shared/client/job-client.ts';
import type { Deployment } from '../../../shared/config/environment.ts';
import { resolveSettings } from '../../../shared/config/settings.ts';
import type { HandledJob } from '../../../shared/job/job-type.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import type { Journal, JournalEntry } from '../../../shared/ports/journal.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import type { TableName } from '../../../shared/ports/tables.ts';
import { ErrorGroupSums } from '../../../shared/features/error-groups/store/error-group-sums.ts';
import { EventSource } from './event-source.ts';
import { Executors } from './executors.ts';
import { Latencies } from './latency.ts';
import { ModelHints } from './model-hints.ts';
import { ModelTables } from './model-tables.ts';
import { quickEntropy } from './quick-entropy.ts';
import type { StartThroughput } from './table-capacity.ts';
import { ModelTime } from './model-time.ts';

/** Options of a scenario. */
export interface ScaleWorldOptions {
  readonly handlers: readonly HandledJob[];
  readonly settings?: Readonly<Record<string, number>>;
  /** How far the tables are warmed; default: as new ones are. */
  readonly tables?: StartThroughput;
  /** The event sources have been busy for long. */
  readonly warmSources?: boolean;
  /** Receives the journal of the product's code, in addition to the world. */
  readonly onEntry?: (entry: JournalEntry) => void;
  /** False: messages are never received. */
  readonly consumes?: boolean;
}

const START = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

/** A deployment of the product's code over models of DynamoDB, SQS and Lambda, in virtual time. Everything follows from the scenario. */
export class ScaleWorld {
  readonly time = new ModelTime(START);
  readonly tables: ModelTables;
  readonly hints: ModelHints;
  readonly executors: Executors;
  readonly sources: readonly EventSource[];
  readonly deployment: Deployment;
  readonly client: JobClient;
  readonly counts = { started: 0, completed: 0 };
  /** When a job ended last. */
  lastEndedAt = START;
  /** Invocations of acquirer and sweeper, and their billed time. */
  readonly ticks = { invocations: 0, billedMs: 0 };
  readonly #entropy: Entropy = quickEntropy(7);
  readonly #journal: Journal;

  constructor({ handlers, settings, tables, warmSources = false, onEntry, consumes = true }: ScaleWorldOptions) {
    const { time } = this;
    this.deployment = {
      tables: Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>,
      workers: new Map([['default', { lanes: { default: 'q' }, fifo: 'q.fifo', deadLetterQueue: 'dlq', fifoDeadLetterQueue: 'dlq.fifo' }]]),
      settings: resolveSettings(settings),
      history: 'outcome',
      metrics: 'off',
      worker: 'default',
      version: '1',
    };
    this.#journal = { record: (entry) => this.#record(entry, onEntry), gauge: () => {}, flush: () => {} };
    // Latencies have separate randomness: the product's draws do not depend on them.
    const latencies = new Latencies(time, quickEntropy(11));
    this.tables = new ModelTables({ time, latencies, entropy: quickEntropy(13), ...(tables === undefined ? {} : { start: tables }) });
    this.hints = new ModelHints(time, latencies, this.deployment.workers);
    this.executors = new Executors({ ...this.#ports(), time, latencies, handlers });
    const { batchSize, maxConcurrency: most } = this.deployment.settings;
    this.sources = (consumes ? this.hints.queues : []).map(
      (queue) =>
        new EventSource({ time, latencies, queue, batchSize, most, warm: warmSources, run: (messages) => this.executors.run(messages) }),
    );
    this.client = createClient({ ...this.#ports(), beforeCreate: [] }, (writes) => [...writes]);
  }

  /** One tick of the acquirer. */
  async acquire(): Promise<AcquirerReport> {
    return this.#tick(this.deployment.settings.acquirerTimeoutMs, (invocation) =>
      acquireTimers(this.#ports(), { acquirer: 0, of: 1 }, invocation),
    );
  }

  /** One tick of the sweeper. */
  async sweep(): Promise<SweepReport> {
    return this.#tick(this.deployment.settings.sweeperTimeoutMs, (invocation) =>
      sweep({ ...this.#ports(), backlog: this.hints, errorGroups: new ErrorGroupSums() }, invocation),
    );
  }

  /** Ticks of the acquirer, once a minute from `from` on, as long as `goesOn` returns true. */
  tickFrom(from: number, goesOn: () => boolean): void {
    this.time.after(from - this.time.now, () => {
      if (!goesOn()) return;
      void this.acquire();
      this.tickFrom(from + MINUTE_MS, goesOn);
    });
  }

  /** Advances time until `done`, at most by `mostMs`; throws if it is not done by then. */
  async runUntil(done: () => boolean, mostMs: number): Promise<void> {
    await this.time.runUntil(this.time.now + mostMs, done);
    if (!done()) throw new Error(`The scenario did not end within ${mostMs / MINUTE_MS} minutes of its time.`);
  }

  /** Runs `work` while time advances. */
  async whileRunning<Result>(work: Promise<Result>, mostMs = 24 * 60 * MINUTE_MS): Promise<Result> {
    let over = false;
    const ended = work.finally(() => (over = true));
    ended.catch(() => {});
    await this.runUntil(() => over, mostMs);
    return ended;
  }

  #ports() {
    const { tables, hints, deployment, time } = this;
    return { tables, hints, deployment, journal: this.#journal, clock: time.clock, entropy: this.#entropy };
  }

  async #tick<Result>(
    timeoutMs: number,
    work: (invocation: { requestId: string; deadlineAt: number }) => Promise<Result>,
  ): Promise<Result> {
    const startedAt = this.time.now;
    const result = await work({ requestId: 'tick', deadlineAt: startedAt + timeoutMs });
    this.ticks.invocations++;
    this.ticks.billedMs += this.time.now - startedAt;
    return result;
  }

  #record(entry: JournalEntry, onEntry: ScaleWorldOptions['onEntry']): void {
    const { event, count = 1 } = entry;
    if (event === 'started') this.counts.started += count;
    if (event === 'completed') {
      this.counts.completed += count;
      this.lastEndedAt = this.time.now;
    }
    onEntry?.(entry);
  }
}
