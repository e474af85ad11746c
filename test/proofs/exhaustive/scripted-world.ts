import type { Admin } from '../../../operate/admin.ts';
import type { JobClient } from '../../../shared/client/job-client.ts';
import { NightcrewError } from '../../../shared/job/errors.ts';
import { hash32 } from '../../../shared/job/hash.ts';
import { SHARDS } from '../../../shared/job/job-id.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import type { JournalEvent } from '../../../shared/ports/journal.ts';
import type { QueueRef } from '../../../shared/ports/hints.ts';
import { isUntold } from '../simulation/check/batch-invariants.ts';
import { limitPartition } from '../../../shared/store/parked-rows.ts';
import { isParked } from '../../../shared/store/rows.ts';
import { checkEconomy } from '../simulation/check/economy.ts';
import { checkEnd, isQuiet, isScheduleStranded } from '../simulation/check/end-state.ts';
import { type FaultPlan, quietPlan, type RunFault } from '../simulation/faults/fault-plan.ts';
import { EventSource } from '../simulation/world/event-source.ts';
import { Sandboxes } from '../simulation/world/sandboxes.ts';
import type { SimProcess } from '../simulation/world/sim-process.ts';
import { World, type WorldOptions } from '../simulation/world/world.ts';
import { type WorkItem, JOB_TYPES, type TypeName } from '../simulation/workload/work-item-jobs.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
/** Longer than any lease, group lock, write window or pause. */
const AFTERMATH_MS = 150 * MINUTE;

/** The standard queue of the default worker, and its FIFO queue. */
export const STANDARD: QueueRef = { worker: 'default', lane: 'default', kind: 'standard' };
export const FIFO: QueueRef = { worker: 'default', lane: '', kind: 'fifo' };

/** A world in which nothing goes wrong by chance, and everything happens that a script says. */
export class ScriptedWorld {
  readonly world: World;
  readonly sandboxes: Sandboxes;
  readonly source: EventSource;

  /** `run`: states of the whole run; `plan`: in place of one in which nothing goes wrong. */
  constructor(options: Omit<WorldOptions, 'seed' | 'plan'> & { readonly run?: readonly RunFault[]; readonly plan?: FaultPlan } = {}) {
    this.world = new World({ skewMs: 0, ...options, seed: 1, plan: options.plan ?? quietPlan(seededEntropy(1), options.run) });
    this.sandboxes = new Sandboxes(this.world);
    this.source = new EventSource(this.world, this.sandboxes);
    this.source.looksWhenBusy = false;
  }

  get now(): number {
    return this.world.time.now;
  }

  /** Does work as a client until it is done or cannot be: `undefined` when it died, stands still, or failed with an error of the product's. */
  async asClient<Result>(work: (client: JobClient, process: SimProcess) => Promise<Result>): Promise<Result | undefined> {
    const process = this.world.process('client', 'client');
    return this.#finish(process, work(this.world.client(process), process));
  }

  async asOperator<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result | undefined> {
    const process = this.world.process('admin', 'operator');
    return this.#finish(process, work(this.world.admin(process)));
  }

  /** Enqueues one work item; its id if it was accepted. */
  async enqueue(
    type: TypeName,
    workItem: Partial<WorkItem>,
    options: Parameters<JobClient['enqueue']>[2] = {},
  ): Promise<string | undefined> {
    return this.asClient(async (client) => {
      const { id } = await client.enqueue(JOB_TYPES[type], workItemOf(workItem), options);
      this.world.checks.accept(id);
      return id;
    });
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    await this.world.time.runUntil(this.now + ms);
  }

  /** Advances time until a condition holds, at most by this much. */
  async until(done: () => boolean, ms = DAY): Promise<void> {
    // So that work started in this turn has scheduled something.
    this.world.time.after(0, () => {});
    if (!done()) await this.world.time.runUntil(this.now + ms, done);
  }

  /** Ticks of the acquirer only for the shards that have timers: an idle shard shows nothing. */
  async acquire(): Promise<void> {
    const shards = new Set(this.world.store.tables.rows('timers').map(({ shard }) => shareOf(String(shard))));
    await Promise.all([...shards].map((acquirer) => this.sandboxes.acquire({ acquirer, of: SHARDS })));
  }

  /** Rules that were broken, as text. */
  get violations(): readonly string[] {
    return this.world.checks.violations.list.map(({ rule, what }) => `${rule}: ${what}`);
  }

  /** How many jobs are in this state. */
  count(state: string): number {
    return [...this.world.checks.tracker.jobs.values()].filter((entry) => entry.state === state).length;
  }

  /** How often an event was journalled. */
  told(event: JournalEvent): number {
    return this.world.events.get(event) ?? 0;
  }

  /** The executors start anew with this version; the older one does not know the type `later`. */
  deploy(version: 1 | 2): void {
    this.sandboxes.version = () => version;
    this.sandboxes.retire();
  }

  /** Ticks of the acquirer and the sweeper at each whole minute from now on, for this long. */
  tick(during: number): void {
    for (let at = MINUTE; at <= during; at += MINUTE) {
      this.world.time.after(at, () => void this.sandboxes.acquire());
      this.world.time.after(at, () => void this.sandboxes.sweep());
    }
  }

  /** Ticks at each whole minute at which a tick has something to do, until nothing is left to be done. False: that never came. */
  async drain(patience = DAY): Promise<boolean> {
    const end = this.now + patience;
    this.source.on = true;
    this.source.wake();
    while (!isQuiet(this.world)) {
      if (this.now > end) return false;
      const next = this.#nextTick();
      await this.until(() => isQuiet(this.world), Math.max(next - this.now, SECOND));
      if (this.now < next) continue;
      const { store } = this.world;
      void this.acquire();
      const unsettled = store.tables.rows('jobs').length + store.tables.rows('suspended').length > 0;
      if (unsettled || isUntold(store) || isScheduleStranded(store)) void this.sandboxes.sweep();
      await this.pass(10 * SECOND);
      this.world.checks.limits.checkReleased(this.world.store);
    }
    return true;
  }

  /** Settles twice, so that no late thaw is missed; then checks the end state. */
  async close(): Promise<void> {
    await this.drain();
    await this.pass(AFTERMATH_MS);
    await this.drain();
    await this.pass(AFTERMATH_MS);
    checkEnd(this.world);
    checkEconomy(this.world);
  }

  /** The next whole minute at which a tick finds something. */
  #nextTick(): number {
    const { store, deployment } = this.world;
    const { horizonMs, sweepSkewMs } = deployment.settings;
    const instants = [
      ...store.tables.rows('timers').map(({ due }) => Date.parse(String(due).slice(0, 24)) - horizonMs),
      ...store.tables.rows('jobs').map(({ lockExpiresAt }) => Date.parse(String(lockExpiresAt)) + sweepSkewMs),
      ...store.tables.rows('suspended').map(({ tryAt }) => Date.parse(String(tryAt))),
    ].map((at) => (Number.isNaN(at) ? this.now : at));
    const soonest = instants.reduce((least, at) => Math.min(least, at), this.now + 60 * MINUTE);
    return Math.ceil(Math.max(soonest, this.now + SECOND) / MINUTE) * MINUTE;
  }

  async #finish<Result>(process: SimProcess, work: Promise<Result>): Promise<Result | undefined> {
    let result: Result | undefined;
    let ended = false;
    const end = (): void => void (ended = true);
    work
      .then(
        (value) => (result = value),
        (error: unknown) => {
          if (!(error instanceof NightcrewError)) this.world.checks.violations.add('no-stray-rejection', String(error));
        },
      )
      .finally(end);
    process.onDeath(end);
    // The world does not wait for one that is paused.
    await this.until(() => ended || process.paused);
    return result;
  }
}

/** Which of as many acquirers as there are shards serves this partition of Timers. */
function shareOf(shard: string): number {
  return isParked(shard) ? hash32(shard.slice(limitPartition('').length)) % SHARDS : Number.parseInt(shard, 16);
}

/** A work item that takes a tenth of a second and goes well, unless it says otherwise. */
export function workItemOf(workItem: Partial<WorkItem>): WorkItem {
  return { kind: 'plain', workMs: 100, times: 1, delayMs: 0, generations: 0, ...workItem };
}
