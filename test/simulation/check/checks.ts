import type { Deployment } from '../../../shared/config/environment.ts';
import type { ObservedStore } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { SimQueues } from '../world/sim-queues.ts';
import type { VirtualTime } from '../world/virtual-time.ts';
import type { ReceivedHint } from '../../../shared/ports/hints.ts';
import { BatchBook } from './batch-book.ts';
import { BulkBook } from './bulk-book.ts';
import { GroupBook } from './group-book.ts';
import { HintBook, isReadable } from './hint-book.ts';
import { HistoryBook } from './history-book.ts';
import { JobBook } from './job-book.ts';
import { KeyBook } from './key-book.ts';
import { LaneBook } from './lane-book.ts';
import { Leases } from './leases.ts';
import { LimitBook } from './limit-book.ts';
import { RuleBook } from './rule-book.ts';
import { RunLedger } from './run-ledger.ts';
import { ScheduleBook } from './schedule-book.ts';
import { StateBook } from './state-book.ts';
import { ToldBook } from './told-book.ts';
import { type Rule, Violations } from './violations.ts';

/** The parts of a world that the checks observe. */
interface ObservedWorld {
  readonly time: VirtualTime;
  readonly deployment: Deployment;
  readonly queues: SimQueues;
  readonly store: ObservedStore;
}

/** Everything that watches a world, wired together. */
export class Checks {
  readonly violations: Violations;
  readonly book: JobBook;
  readonly leases: Leases;
  readonly ledger: RunLedger;
  readonly hints: HintBook;
  readonly schedules: ScheduleBook;
  readonly batches: BatchBook;
  readonly rules: RuleBook;
  readonly limits: LimitBook;
  readonly groups: GroupBook;
  readonly history: HistoryBook;
  readonly told: ToldBook;
  /** Ids whose enqueue was accepted. */
  readonly accepted = new Set<string>();
  poisonDeaths = 0;
  readonly lanes: LaneBook;

  constructor(world: ObservedWorld, forgiven: readonly Rule[]) {
    this.violations = new Violations(() => world.time.now, forgiven);
    this.book = new JobBook(this.violations);
    this.leases = new Leases(this.book, this.violations);
    const { violations, book, leases } = this;
    const now = (): number => world.time.now;
    this.ledger = new RunLedger({ violations, leases, book, now, settings: world.deployment.settings });
    this.leases.runs = this.ledger;
    this.rules = new RuleBook(violations, book, now);
    this.ledger.onStart = (by, id) => this.rules.started(by, id);
    this.hints = new HintBook({ violations, book, queues: world.queues, now });
    world.queues.onSend = (by, hint) => this.hints.sent(by, hint);
    world.store.onRefused = (by, write, row) => this.hints.refused(by, write, row);
    this.limits = new LimitBook(violations, now);
    const keys = new KeyBook(violations, book);
    this.batches = new BatchBook(violations);
    this.groups = new GroupBook(violations);
    const bulks = new BulkBook(violations);
    this.history = new HistoryBook(violations, book);
    this.told = new ToldBook(violations, book);
    const states = new StateBook(violations);
    this.schedules = new ScheduleBook(violations, book, now);
    this.lanes = new LaneBook(violations, book);
    this.book.watch((step) => {
      this.ledger.see(step);
      this.batches.see(step);
      states.see(step);
      keys.see(step);
      this.schedules.see(step);
      this.lanes.see(step);
      this.rules.see(step);
      this.hints.see(step);
      this.told.see(step);
    });
    world.store.watch((mutation) => {
      this.leases.see(mutation);
      this.limits.see(mutation);
      this.groups.see(mutation);
      bulks.see(mutation);
      this.batches.seeRows(mutation);
      this.book.see(mutation);
      this.history.see(mutation);
      for (const { table, before, after } of mutation.changes) if (table === 'control') this.schedules.seeRow(after, before);
      keys.seeRows(mutation);
      this.rules.seeRows(mutation);
    });
  }

  accept(id: string): void {
    this.accepted.add(id);
    if (!this.book.jobs.has(id)) this.violations.add('nothing-lost', `${id} was accepted, but no row was ever written`);
  }

  /** After a batch that ended well. If all of its requests were answered, it must hold nothing any more. */
  afterBatch(process: SimProcess, messages: readonly ReceivedHint[], back: readonly string[]): void {
    this.hints.handled(process, messages, back);
    this.ledger.ended(process);
    if (process.troubles === 0) this.#holdsNothing(process);
  }

  #holdsNothing(process: SimProcess): void {
    for (const { id, owner, state, row } of this.book.jobs.values()) {
      if (owner === process && state === 'running' && isReadable(row))
        this.violations.add('nothing-abandoned', `${id} is still leased to ${process.name}, which ended`);
    }
    for (const slot of this.limits.stillHeldBy(process))
      this.violations.add('nothing-abandoned', `${slot} is still held by ${process.name}, which ended`);
    for (const [pk, { by }] of this.leases.groups) {
      if (by === process) this.violations.add('nothing-abandoned', `${pk} is still locked by ${process.name}, which ended`);
    }
  }
}
