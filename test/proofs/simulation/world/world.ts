import { type Admin, createAdminOver } from '../../../../operate/admin.ts';
import type { AdminDeps } from '../../../../operate/admin-deps.ts';
import type { Deployment, WorkerQueues } from '../../../../shared/config/environment.ts';
import { defined } from '../../../../shared/job/defined.ts';
import { resolveSettings } from '../../../../shared/config/settings.ts';
import { createClient, type JobClient } from '../../../../shared/client/job-client.ts';
import type { Actor } from '../../../../shared/job/transitions.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../../shared/job/lease.ts';
import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import type { Entropy } from '../../../../shared/ports/entropy.ts';
import type { Journal, JournalEvent } from '../../../../shared/ports/journal.ts';
import { TABLE_NAMES } from '../../../../shared/ports/table-spec.ts';
import type { HintSender } from '../../../../shared/ports/hints.ts';
import type { TableName, Tables } from '../../../../shared/ports/tables.ts';
import { Checks } from '../check/checks.ts';
import { LANES } from '../check/lane-invariants.ts';
import type { Rule } from '../check/violations.ts';
import { ErrorGroupSums } from '../../../../shared/features/error-groups/store/error-group-sums.ts';
import { goWrong, jumpNowAndThen } from '../faults/clock-jumps.ts';
import { BATCH_FAULTS, type FaultPlan, REFUSAL_FAULTS } from '../faults/fault-plan.ts';
import { TwoLayouts } from '../faults/two-layouts.ts';
import { processHints } from '../wire/process-hints.ts';
import { processTables } from '../wire/process-tables.ts';
import type { WiredWorld } from '../wire/process-wire.ts';
import { WireFaults } from '../wire/wire-faults.ts';
import { Calendar } from './calendar.ts';
import { LateIndexes } from './late-indexes.ts';
import { namedCalls } from './named-calls.ts';
import { ObservedStore } from './observed-store.ts';
import { SimPayloads } from './sim-payloads.ts';
import { SimProcess } from './sim-process.ts';
import { SimQueues } from './sim-queues.ts';
import { simTables, type Step, type StepFault, type StoreChaos } from './sim-tables.ts';
import { Trace } from './trace.ts';
import { VirtualTime } from './virtual-time.ts';

/** What a world is made of. */
export interface WorldOptions {
  readonly seed: number;
  readonly plan: FaultPlan;
  readonly settings?: Readonly<Record<string, number>>;
  readonly history?: Deployment['history'];
  /** The real adapter over a simulated wire in place of tables that are simulated themselves; `openWire` comes first. */
  readonly wire?: boolean;
  /** Whether writes travel together there. */
  readonly batches?: boolean;
  /** Whether the store refuses some of these requests as a whole. */
  readonly refusals?: boolean;
  /** Decides about each request to the store; default: by the plan. */
  readonly chaos?: (world: World) => StoreChaos;
  readonly print?: (line: string) => void;
  /** How far the clocks of two processes are apart at most; default: as far as the promises assume. */
  readonly skewMs?: number;
  /** How far the clock of a process is ahead; default: by chance, if the plan has skew. */
  readonly skewOf?: (role: Actor, name: string) => number;
  /** Rules that are broken on purpose. */
  readonly forgiven?: readonly Rule[];
  /** The users, operators and machines that take part, by name; default: all. */
  readonly actors?: readonly string[];
  /** False: nobody kills a sandbox at its deadline, so that an assumption of the promises is broken. */
  readonly deadlines?: boolean;
}

/** What code in a process of this world is handed, besides its own. */
export interface ProcessPorts {
  readonly tables: Tables;
  readonly hints: HintSender;
  readonly journal: Journal;
  readonly clock: SimProcess['clock'];
  readonly entropy: Entropy;
  /** What this process sums up of error groups; its functions flush it when an invocation ends. */
  readonly errorGroups: ErrorGroupSums;
}

/** Whose jobs foreign code fetches, in worlds that have any. */
const FOREIGN: readonly [string, WorkerQueues] = [
  'foreign',
  { lanes: { default: 'q/foreign' }, fifo: 'q/foreign.fifo', deadLetterQueue: 'q/foreign-dlq', fifoDeadLetterQueue: 'q/foreign-dlq.fifo' },
];
const START = Date.UTC(2026, 0, 1);
const WORKERS: Deployment['workers'] = new Map([
  [
    'default',
    {
      lanes: Object.fromEntries(LANES.names.map((lane) => [lane, `q/${lane}`])),
      from: { urgent: LANES.urgentFrom },
      fifo: 'q/default.fifo',
      deadLetterQueue: 'q/dlq',
      fifoDeadLetterQueue: 'q/dlq.fifo',
    },
  ],
  [
    'other',
    { lanes: { default: 'q/other' }, fifo: 'q/other.fifo', deadLetterQueue: 'q/other-dlq', fifoDeadLetterQueue: 'q/other-dlq.fifo' },
  ],
]);

/** A world from one seed: time, store, queues, processes and what watches them. Nothing in it acts by itself. */
export class World {
  readonly options: WorldOptions;
  readonly calendar: Calendar | undefined;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly store: ObservedStore;
  readonly plan: FaultPlan;
  readonly queues: SimQueues;
  readonly payloads: SimPayloads;
  readonly checks: Checks;
  readonly deployment: Deployment;
  readonly chaos: StoreChaos;
  /** Chance of the world itself: latencies, moments, who does what. */
  readonly entropy: Entropy;
  readonly events = new Map<JournalEvent, number>();
  /** The users, operators and machines outside Lambda that there were, by name. */
  readonly actors = new Set<string>();
  readonly wire: WiredWorld['wire'] | undefined;
  readonly #layouts: TwoLayouts;
  #processes = 0;

  constructor(options: WorldOptions) {
    this.options = options;
    this.plan = options.plan;
    this.entropy = seededEntropy(options.seed * 2 + 1);
    this.#layouts = new TwoLayouts(this.plan, options.seed);
    this.calendar = Calendar.of(options.seed);
    const startsAt = this.calendar?.startsAt ?? START;
    this.time = new VirtualTime(startsAt);
    this.trace = new Trace(startsAt, options.print);
    this.store = new ObservedStore(this.time, this.trace);
    if (this.plan.wide.on.includes('index-lag')) this.store.indexes = new LateIndexes(this.plan, this.time, this.store);
    this.deployment = {
      tables: Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>,
      workers: this.plan.wide.on.includes('foreign') ? new Map([...WORKERS, FOREIGN]) : WORKERS,
      settings: resolveSettings(options.settings),
      history: options.history ?? 'outcome',
      metrics: 'off',
    };
    const { time, plan, trace, entropy, deployment } = this;
    const strike = (process: SimProcess, step: Step): StepFault | undefined => this.#strike(process, step);
    const gate = (process: SimProcess, step: Step): Promise<void> | undefined => this.chaos.gate?.(process, step);
    this.queues = new SimQueues({ time, plan, trace, entropy, deployment, strike, gate });
    this.payloads = new SimPayloads(this);
    this.checks = new Checks(this, options.forgiven ?? []);
    this.chaos = options.chaos?.(this) ?? quiet;
    const untrue = (what: string): void => this.checks.violations.add('answer-true', what);
    const faults = new WireFaults(this.plan, seededEntropy(options.seed * 17 + 3));
    const ofStatements = options.batches ? new WireFaults(this.plan, seededEntropy(options.seed * 23 + 5), BATCH_FAULTS) : undefined;
    const ofBatches = options.refusals ? new WireFaults(this.plan, seededEntropy(options.seed * 29 + 11), REFUSAL_FAULTS) : undefined;
    this.wire = options.wire ? { faults, untrue, underWay: new Map(), ...defined({ ofStatements, ofBatches }) } : undefined;
    if (options.wire) this.trace.note(startsAt, 'world', 'its processes reach the store by the real adapter and client, over a wire');
  }

  /** A process with a clock of its own. */
  process(role: Actor, name: string): SimProcess {
    const index = ++this.#processes;
    const skew = this.options.skewMs ?? MAX_CLOCK_SKEW_MS;
    const skewMs = this.plan.has('clock-skew') && !this.plan.stopped ? Math.floor((this.entropy.random() - 0.5) * skew) : 0;
    const ahead = this.options.skewOf?.(role, name) ?? skewMs;
    const process = new SimProcess(this.time, { name: `${name}-${index}`, role, skewMs: ahead, seed: this.options.seed * 7919 + index });
    const { wide } = this.plan;
    if (wide.on.includes('timers-first')) process.timersFirst = true;
    if (wide.on.includes('clock-jump')) jumpNowAndThen(this, process, skew);
    goWrong(this, process);
    process.onWait = () => void this.#strike(process, 'wait');
    if ((role === 'client' || role === 'admin') && !this.plan.stopped) this.#cast(process, name);
    return process;
  }

  /** One that does not take part dies before it does anything, as any of them may. */
  #cast(process: SimProcess, name: string): void {
    if (!this.casts(name)) process.kill();
  }

  /** Notes that there are actors of this name; false where they do not take part. */
  casts(name: string): boolean {
    this.actors.add(name);
    return this.options.actors?.includes(name) !== false;
  }

  /** The ports of a process. `hops`: how many invocations came before it in its chain. */
  ports(process: SimProcess, hops: () => number = () => 0): ProcessPorts {
    return {
      tables: this.#layouts.tables(process, this.#tables(process)),
      hints: this.#layouts.hints(process, this.#hints(process, hops)),
      journal: this.#journal(process),
      clock: process.clock,
      entropy: process.entropy,
      errorGroups: new ErrorGroupSums(),
    };
  }

  client(process: SimProcess, hops?: () => number): JobClient {
    const client = createClient({ ...this.ports(process, hops), deployment: this.deployment, beforeCreate: [] }, (writes) => [...writes]);
    // A handler's client writes beside its executor, whose requests are none of its calls.
    return process.role === 'client' ? this.#named(client, process) : client;
  }

  /** An operator's verbs; `more` are parts that he has besides. */
  admin(process: SimProcess, more: Pick<AdminDeps, 'putWindowMs'> = {}): Admin {
    // As in a session: it remembers nothing of error groups from one verb to the next.
    const { errorGroups: _sums, ...ports } = this.ports(process);
    return this.#named(createAdminOver({ ...ports, deployment: this.deployment, ...more }), process);
  }

  #tables(process: SimProcess): Tables {
    const { wire } = this;
    return wire === undefined
      ? simTables(this, process)
      : processTables({ time: this.time, store: this.store, chaos: this.chaos, wire }, process);
  }

  #hints(process: SimProcess, hops: () => number): HintSender {
    const { wire, time, queues, deployment } = this;
    return wire === undefined ? queues.sender(process, hops) : processHints({ time, queues, deployment, wire }, process, hops);
  }

  #named<Verbs extends object>(verbs: Verbs, process: SimProcess): Verbs {
    return namedCalls(verbs, (call, args, answer) => this.checks.told.answered(process, call, args, answer));
  }

  /** A number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.entropy.random() * (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.entropy.random() * items.length)] as Item;
  }

  /** Kills or pauses the process at this step, if that is its fate; what is left to do about it is told. */
  #strike(process: SimProcess, step: Step): StepFault | undefined {
    const fault = process.alive ? this.chaos.faultOfStep?.(process, step) : undefined;
    if (fault === 'crash-before') process.kill();
    if (fault === 'pause') {
      process.freeze('pause');
      this.time.after(this.chaos.pauseMs(process), () => process.thaw('pause'));
    }
    return fault;
  }

  #journal(process: SimProcess): Journal {
    return {
      record: ({ event, count = 1, reason, job }) => {
        this.events.set(event, (this.events.get(event) ?? 0) + count);
        if (reason !== undefined) this.checks.groups.told(process, reason);
        if (reason === 'overlap' && event === 'given-back' && job !== undefined) this.checks.schedules.waits(job.id);
        if (job !== undefined) this.checks.told.journal(process, event, job.id);
        this.trace.note(this.time.now, process.name, `journal ${event}${reason === undefined ? '' : ` (${reason})`}`);
      },
      gauge: () => {},
      flush: () => {},
    };
  }
}

const quiet: StoreChaos = { faultOf: () => undefined, latency: () => 2, pauseMs: () => 0, lateMs: () => 0 };
