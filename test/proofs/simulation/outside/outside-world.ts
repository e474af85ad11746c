import { sweep } from '../../../../functions/sweeper/sweep.ts';
import { createClient, type JobClient } from '../../../../shared/client/job-client.ts';
import type { Deployment } from '../../../../shared/config/environment.ts';
import { resolveSettings } from '../../../../shared/config/settings.ts';
import { defineJob, type HandledJob, type JobContext, type JobType } from '../../../../shared/job/job-type.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../../shared/job/lease.ts';
import { DEFAULT_RETRY } from '../../../../shared/job/retry-policy.ts';
import { createMemoryHints, type MemoryHints } from '../../../../shared/adapters/memory/hints.ts';
import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import type { Entropy } from '../../../../shared/ports/entropy.ts';
import type { HintSource } from '../../../../shared/ports/hint-source.ts';
import type { Inbox, HintSender, QueueRef } from '../../../../shared/ports/hints.ts';
import { TABLE_NAMES } from '../../../../shared/ports/table-spec.ts';
import type { TableName } from '../../../../shared/ports/tables.ts';
import type { ExecutorDeps } from '../../../../functions/executor/deps.ts';
import { createRulesCache } from '../../../../functions/executor/gates/rules.ts';
import { anyPayload } from '../../../support/rig.ts';
import { type MeetingRule, RunInvariants } from '../check/run-invariants.ts';
import type { StoreFault } from '../faults/fault-plan.ts';
import { longPolls } from '../world/long-polls.ts';
import { ObservedStore } from '../world/observed-store.ts';
import { never, SimProcess } from '../world/sim-process.ts';
import { simTables, type StoreChaos } from '../world/sim-tables.ts';
import { Trace } from '../world/trace.ts';
import { VirtualTime } from '../world/virtual-time.ts';

/** A broken rule, and what broke it. */
export interface OutsideViolation {
  readonly rule: MeetingRule | 'nothing-lost';
  readonly what: string;
}

/** What a job of this world does. */
export interface Work {
  readonly ms: number;
  readonly group: string;
  /** Its first run does not heed its signal and never ends. */
  readonly deaf: boolean;
}

/** `outside` has two processes or more, `foreign` runs what it fetches, `lambda` is killed at its deadlines; each takes standard queues only. */
export const WORKERS = ['outside', 'other', 'foreign', 'lambda'] as const;
export type WorkerName = (typeof WORKERS)[number];

export const WORK_TYPES = Object.fromEntries(
  WORKERS.map((worker) => {
    const group = (work: Record<string, unknown>): string => String(work['group']);
    return [worker, defineJob(`work-${worker}`, { payload: anyPayload, worker, group, timeout: 'PT2M', retry: 'R99/PT5S' })];
  }),
) as Record<WorkerName, JobType<Record<string, unknown>>>;

const START = Date.UTC(2026, 0, 1);
const VISIBILITY_MS = 100_000;
const LOG = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const WRITES: ReadonlySet<string> = new Set(['write', 'transact', 'putAll']);
const FAULTS: readonly (readonly [StoreFault, number])[] = [
  ['lost-reply', 0.01],
  ['lost-for-good', 0.005],
  ['late-write', 0.005],
  ['unavailable', 0.01],
  ['throttled', 0.01],
];

/** A deployment whose workers run in processes of every kind, on one virtual clock; what goes wrong is drawn from the seed. */
export class OutsideWorld implements StoreChaos {
  readonly time = new VirtualTime(START);
  readonly trace: Trace;
  readonly store: ObservedStore;
  readonly entropy: Entropy;
  readonly deployment: Deployment;
  readonly hints: MemoryHints;
  readonly invariants: RunInvariants;
  readonly violations: OutsideViolation[] = [];
  readonly chaos = this;
  /** Processes that reach no store. */
  readonly cutOff = new Set<SimProcess>();
  /** Nothing goes wrong any more. */
  healed = false;
  readonly #seed: number;
  #processes = 0;

  constructor(seed: number, print?: (line: string) => void) {
    this.#seed = seed;
    this.trace = new Trace(START, print);
    this.store = new ObservedStore(this.time, this.trace);
    this.entropy = seededEntropy(seed * 31 + 11);
    this.invariants = new RunInvariants(this.time, (rule, what) => this.violations.push({ rule, what }));
    const workers = new Map(WORKERS.map((worker) => [worker, { lanes: { default: `queue/${worker}` } }]));
    const settings = { workerLeaseMs: this.between(15, 40) * 1_000, leaseMarginMs: this.between(5, 7) * 1_000 };
    this.deployment = {
      tables: Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>,
      workers,
      settings: resolveSettings({ ...settings, executorTimeoutMs: 40_000, crashLimit: 100 }),
      history: 'off',
      metrics: 'off',
    };
    const { time } = this;
    this.hints = createMemoryHints({ clock: { now: () => time.now, wait: () => never() }, workers, visibilityMs: VISIBILITY_MS });
  }

  /** A number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.entropy.random() * (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.between(0, items.length - 1)] as Item;
  }

  faultOf(process: SimProcess, { op }: { readonly op: string }): StoreFault | undefined {
    if (this.healed) return undefined;
    if (this.cutOff.has(process)) return 'lost-for-good';
    let draw = this.entropy.random();
    if (!WRITES.has(op)) return draw < 0.01 ? 'unavailable' : undefined;
    return FAULTS.find(([, rate]) => (draw -= rate) < 0)?.[0];
  }

  latency(): number {
    return 1 + Math.floor(this.entropy.random() ** 3 * 40) + (this.entropy.random() < 0.01 ? this.between(0, 1_500) : 0);
  }

  pauseMs(): number {
    return 0;
  }

  lateMs(): number {
    return this.between(1, 60) * 1_000;
  }

  process(name: string): SimProcess {
    const index = ++this.#processes;
    // As far apart as the promises assume.
    const skewMs = this.pick([-MAX_CLOCK_SKEW_MS / 2, 0, MAX_CLOCK_SKEW_MS / 2]);
    return new SimProcess(this.time, { name: `${name}-${index}`, role: 'executor', skewMs, seed: this.#seed * 7919 + index });
  }

  /** Lets a process stand still for a while. */
  freeze(process: SimProcess, ms: number): void {
    if (!process.alive || process.paused) return;
    process.freeze('pause');
    this.time.after(ms, () => process.thaw('pause'));
  }

  queueOf(worker: WorkerName): QueueRef {
    return { worker, lane: 'default', kind: 'standard' };
  }

  /** What a process without an event source asks; everything it does takes a moment. */
  source(process: SimProcess): HintSource {
    const { clock } = process;
    return longPolls(clock, {
      receive: async (queue, max, signal) => {
        await clock.wait(20);
        return signal?.aborted === true ? [] : this.hints.receive(queue, max);
      },
      acknowledge: async (message) => {
        await clock.wait(10);
        this.hints.acknowledge(message);
      },
    });
  }

  client(process: SimProcess): JobClient {
    const { clock, entropy } = process;
    const ports = { clock, entropy, tables: simTables(this, process), hints: this.#inbox(process), journal: this.#journal(process) };
    return createClient({ ...ports, deployment: this.deployment, beforeCreate: [] }, (writes) => [...writes]);
  }

  deps(process: SimProcess, worker: WorkerName): ExecutorDeps {
    const { clock, entropy } = process;
    const inbox = this.#inbox(process);
    const handled = WORK_TYPES[worker].handle((context) => this.#run(process, context as unknown as JobContext<Work>));
    return {
      deployment: { ...this.deployment, worker },
      tables: simTables(this, process),
      hints: inbox,
      inbox,
      journal: this.#journal(process),
      clock,
      entropy,
      sandbox: { end: () => process.kill() },
      handlers: new Map<string, HandledJob>([[handled.type.name, handled]]),
      around: [],
      rules: createRulesCache(),
      retry: DEFAULT_RETRY,
      log: () => LOG,
    };
  }

  async sweep(): Promise<void> {
    const process = this.process('sweeper');
    const deps = { ...this.deps(process, 'lambda'), backlog: this.hints };
    await sweep(deps, { requestId: 'tick', deadlineAt: process.clock.now() + 60_000 }).catch(() => {});
  }

  async #run(by: SimProcess, { payload, job, signal }: JobContext<Work>): Promise<void> {
    const end = this.invariants.start(by, job.id, job.group);
    const deaf = payload.deaf && job.attempt === 1;
    this.trace.note(this.time.now, by.name, `runs ${job.id} of ${job.group}${deaf ? ', deaf' : ''}`);
    await by.clock.wait(deaf ? 3_600_000 : payload.ms, deaf ? undefined : signal);
    end();
    if (signal.aborted) throw new Error('stopped by its signal');
  }

  #inbox(process: SimProcess): HintSender & Inbox {
    return {
      send: async (hints) => {
        await process.clock.wait(10);
        return this.hints.send(hints);
      },
      postpone: async (message, ms) => {
        await process.clock.wait(10);
        await this.hints.postpone(message, ms);
      },
      discard: async (messages) => this.hints.discard(messages),
      reject: async (message, reason) => this.hints.reject(message, reason),
    };
  }

  #journal({ name }: SimProcess): ExecutorDeps['journal'] {
    return {
      record: ({ event, reason = '', job }) => this.trace.note(this.time.now, name, `journal ${event} ${reason} ${job?.id ?? ''}`),
      gauge: () => {},
      flush: () => {},
    };
  }
}
