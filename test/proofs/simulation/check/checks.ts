import type { Deployment } from '../../../../shared/config/environment.ts';
import type { ObservedStore } from '../world/observed-store.ts';
import type { SimPayloads } from '../world/sim-payloads.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { SimQueues } from '../world/sim-queues.ts';
import type { VirtualTime } from '../world/virtual-time.ts';
import type { ReceivedHint } from '../../../../shared/ports/hints.ts';
import { BacklogInvariants } from './backlog-invariants.ts';
import { BatchInvariants } from './batch-invariants.ts';
import { BulkInvariants } from './bulk-invariants.ts';
import { ClaimInvariants } from './claim-invariants.ts';
import { EraseInvariants } from './erase-invariants.ts';
import { GroupInvariants } from './group-invariants.ts';
import { HintInvariants, isReadable } from './hint-invariants.ts';
import { HistoryInvariants } from './history-invariants.ts';
import { JobTracker } from './job-tracker.ts';
import { KeyInvariants } from './key-invariants.ts';
import { LaneInvariants } from './lane-invariants.ts';
import { Leases } from './leases.ts';
import { LimitInvariants } from './limit-invariants.ts';
import { OrderInvariants } from './order-invariants.ts';
import { RetentionInvariants } from './retention-invariants.ts';
import { RuleInvariants } from './rule-invariants.ts';
import { RunLedger } from './run-ledger.ts';
import { SiblingInvariants } from './sibling-invariants.ts';
import { ScheduleInvariants } from './schedule-invariants.ts';
import { LayoutInvariants } from './layout-invariants.ts';
import { StateInvariants } from './state-invariants.ts';
import { ReplyInvariants } from './reply-invariants.ts';
import { TenantInvariants } from './tenant-invariants.ts';
import { type Rule, Violations } from './violations.ts';

/** The parts of a world that the checks observe. */
interface ObservedWorld {
  readonly time: VirtualTime;
  readonly deployment: Deployment;
  readonly queues: SimQueues;
  readonly store: ObservedStore;
  readonly payloads: SimPayloads;
  readonly options: { readonly seed: number };
}

/** Everything that watches a world, wired together. */
export class Checks {
  readonly violations: Violations;
  readonly tracker: JobTracker;
  readonly leases: Leases;
  readonly ledger: RunLedger;
  readonly hints: HintInvariants;
  readonly schedules: ScheduleInvariants;
  readonly backlogs: BacklogInvariants;
  readonly batches: BatchInvariants;
  readonly rules: RuleInvariants;
  readonly limits: LimitInvariants;
  readonly groups: GroupInvariants;
  readonly order: OrderInvariants;
  readonly history: HistoryInvariants;
  readonly told: ReplyInvariants;
  readonly claims: ClaimInvariants;
  /** Ids whose enqueue was accepted. */
  readonly accepted = new Set<string>();
  poisonDeaths = 0;
  readonly lanes: LaneInvariants;

  constructor(world: ObservedWorld, forgiven: readonly Rule[]) {
    this.violations = new Violations(() => world.time.now, forgiven);
    this.tracker = new JobTracker(this.violations);
    this.leases = new Leases(this.tracker, this.violations);
    const { violations, tracker, leases } = this;
    // The counters of a job that comes back, as by a backfill, begin anew, and so do its hints.
    tracker.watch(({ entry: { id }, from }) => {
      const { sends } = world.queues;
      if (from === 'finished') for (const hint of sends.keys()) if (hint.startsWith(`${id}#`)) sends.delete(hint);
    });
    const now = (): number => world.time.now;
    this.ledger = new RunLedger({ violations, leases, tracker, time: world.time, settings: world.deployment.settings });
    this.leases.runs = this.ledger;
    this.rules = new RuleInvariants(violations, tracker, now);
    this.order = new OrderInvariants(violations, tracker, now);
    this.ledger.onStart = (by, id) => {
      this.rules.started(by, id);
      this.order.started(by, id);
      this.hints.started(by, id);
    };
    this.hints = new HintInvariants({ violations, tracker, queues: world.queues, now });
    world.queues.onSend = (by, hint) => this.hints.sent(by, hint);
    world.store.onRefused = (by, write, row) => this.hints.refused(by, write, row);
    this.limits = new LimitInvariants(violations, now);
    const keys = new KeyInvariants(violations, tracker);
    this.backlogs = new BacklogInvariants(violations);
    this.batches = new BatchInvariants(violations);
    this.groups = new GroupInvariants(violations);
    const bulks = new BulkInvariants(violations);
    const retention = new RetentionInvariants(violations);
    const erasures = new EraseInvariants(violations, world.store, world.options.seed);
    this.history = new HistoryInvariants(violations, tracker);
    this.told = new ReplyInvariants(violations, tracker);
    this.claims = new ClaimInvariants(violations, world.payloads);
    const siblings = new SiblingInvariants(violations, tracker);
    const tenants = new TenantInvariants(violations);
    const states = new StateInvariants(violations);
    const layouts = new LayoutInvariants(violations);
    this.schedules = new ScheduleInvariants(violations, tracker, now);
    this.lanes = new LaneInvariants(violations, tracker);
    this.tracker.watch((step) => {
      this.ledger.see(step);
      this.batches.see(step);
      tenants.see(step);
      states.see(step);
      layouts.see(step);
      keys.see(step);
      this.schedules.see(step);
      this.lanes.see(step);
      this.rules.see(step);
      this.order.see(step);
      this.hints.see(step);
      this.told.see(step);
    });
    world.store.watch((mutation) => {
      this.leases.see(mutation);
      this.limits.see(mutation);
      this.backlogs.see(mutation);
      this.groups.see(mutation);
      this.order.seeRows(mutation);
      bulks.see(mutation);
      erasures.see(mutation);
      retention.see(mutation);
      this.batches.seeRows(mutation);
      tenants.seeRows(mutation);
      this.tracker.see(mutation);
      this.claims.see(mutation);
      siblings.see(mutation);
      this.history.see(mutation);
      for (const { table, before, after } of mutation.changes) if (table === 'control') this.schedules.seeRow(after, before);
      keys.seeRows(mutation);
      this.rules.seeRows(mutation);
    });
  }

  accept(id: string): void {
    this.accepted.add(id);
    if (!this.tracker.jobs.has(id)) this.violations.add('nothing-lost', `${id} was accepted, but no row was ever written`);
  }

  /** After a batch that ended well. If all of its requests were answered, it must hold nothing any more. */
  afterBatch(process: SimProcess, messages: readonly ReceivedHint[], back: readonly string[]): void {
    this.hints.handled(process, messages, back);
    this.#afterWork(process);
  }

  /** After a worker outside Lambda that was stopped and drained; `back`: messages that it did not acknowledge the first time. */
  afterDrain(process: SimProcess, back: readonly ReceivedHint[]): void {
    this.hints.drained(process, back);
    this.#afterWork(process);
  }

  #afterWork(process: SimProcess): void {
    this.ledger.ended(process);
    if (process.troubles === 0) this.#holdsNothing(process);
  }

  #holdsNothing(process: SimProcess): void {
    for (const { id, owner, state, row } of this.tracker.jobs.values()) {
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
