import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import { isUntold } from './check/batch-invariants.ts';
import { checkEnd, isQuiet } from './check/end-state.ts';
import { checkRescued } from './check/rescued.ts';
import { checkEconomy } from './check/economy.ts';
import type { Rule, Violation } from './check/violations.ts';
import { type Cut, cutPlan, type Strike } from './faults/cut-plan.ts';
import { type Fault, type FaultPlan, swarmPlan } from './faults/fault-plan.ts';
import { SwarmChaos } from './faults/swarm-chaos.ts';
import { BROKEN_BY_WRONG_CLOCKS } from './faults/clock-jumps.ts';
import { deleteExpired } from './faults/ttl.ts';
import { heal, scheduleIncidents, type Stage } from './faults/incidents.ts';
import { openWire } from './wire/shared-clients.ts';
import { EventSource } from './world/event-source.ts';
import { withPlainStacks } from './world/plain-stacks.ts';
import { Sandboxes } from './world/sandboxes.ts';
import { Ticks } from './world/ticks.ts';
import { worldHas } from './world/some-worlds.ts';
import { World } from './world/world.ts';
import { Backfillers } from './workload/backfillers.ts';
import { Batchers } from './workload/batchers.ts';
import { Bounders } from './workload/bounders.ts';
import { Buriers } from './workload/buriers.ts';
import { Cancellers } from './workload/cancellers.ts';
import { Editors } from './workload/editors.ts';
import { Erasers } from './workload/erasers.ts';
import { Limiters } from './workload/limiters.ts';
import { Keepers } from './workload/keepers.ts';
import { Guardians } from './workload/guardians.ts';
import { Heirs } from './workload/heirs.ts';
import { Foreigners } from './workload/foreigners.ts';
import { Operators } from './workload/operators.ts';
import { Outsiders } from './workload/outsiders.ts';
import { Porters } from './workload/porters.ts';
import { Queuers } from './workload/queuers.ts';
import { Rivals } from './workload/rivals.ts';
import { Schedulers } from './workload/schedulers.ts';
import { Producers } from './workload/producers.ts';
import { Triagers } from './workload/triagers.ts';

/** What came of one seed. */
export interface SeedReport {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly operations: number;
  readonly writes: number;
  readonly events: number;
  readonly jobs: number;
  readonly starts: number;
  readonly overlaps: number;
  readonly rescues: number;
  /** What may each have cost a rescue. */
  readonly causes: number;
  readonly faults: ReadonlyMap<Fault, number>;
  readonly verbs: ReadonlyMap<string, number>;
  readonly hash: string;
  /** The kinds of faults that this world had. */
  readonly kinds: readonly Fault[];
  /** The single faults, in their order. */
  readonly struck: readonly Strike[];
  /** The users, operators and machines outside Lambda that there were, by name. */
  readonly actors: ReadonlySet<string>;
}

/** How a run differs from the usual: which faults, clocks and promises. */
export interface RunOptions {
  readonly plan?: (seed: number) => FaultPlan;
  readonly print?: (line: string) => void;
  readonly skewMs?: number;
  readonly forgiven?: readonly Rule[];
  readonly deadlines?: boolean;
  readonly producers?: number;
  /** Only this part of it takes place. */
  readonly cut?: Cut;
  /** Whether processes reach the store by the real adapter, over a simulated wire; default: one seed in five. */
  readonly wire?: boolean;
  /** Whether writes travel together on a wire; default: half of the seeds. */
  readonly batches?: boolean;
  /** Whether the store refuses some of these batches; default: a quarter of the seeds that have them. */
  readonly refusals?: boolean;
}

/** Users or operators of one kind. */
interface Crowd {
  start(count: number, during: number): void;
  thaw(): void;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FAULTY_MS = 30 * MINUTE;
/** Longer than the latest timer, a redispatch at its longest, and what a backlog may explain, one after the other. */
const PATIENCE_MS = 12 * HOUR;

/** As few receives as a deployment may have, after which SQS moves a message to the dead-letter queue. */
const FEWEST_RECEIVES = { maxReceiveCount: 5 };

/** Runs one seed: half an hour of faults, then as long as it takes to come to rest, then the reckoning. */
export function runSeed(seed: number, options: RunOptions = {}): Promise<SeedReport> {
  return withPlainStacks(() => run(seed, options));
}

/** By the seed itself, so that no other chance is drawn: a seed does the same whether there are wires or not. */
const isWired = (seed: number): boolean => seed % 5 === 3;

const isBatched = (seed: number): boolean => Math.floor(seed / 100) % 2 === 1;
/** A quarter of those. */
const isRefused = (seed: number): boolean => Math.floor(seed / 5) % 4 === 3;

async function run(seed: number, options: RunOptions): Promise<SeedReport> {
  const entropy = seededEntropy(seed * 31 + 7);
  const { cut = {} } = options;
  const plan = cutPlan(options.plan?.(seed) ?? swarmPlan(entropy, seed), cut, () => world.time.now - startedAt);
  options.print?.(`plan: ${plan.wide.on.length === 0 ? 'not wide' : plan.wide.on.join(', ')}`);
  let chaos: SwarmChaos | undefined;
  const wire = options.wire ?? isWired(seed);
  if (wire) await openWire();
  const world: World = new World({
    ...options,
    forgiven: [...(options.forgiven ?? []), ...(plan.wide.on.includes('clock-wrong') ? BROKEN_BY_WRONG_CLOCKS : [])],
    ...(cut.actors === undefined ? {} : { actors: cut.actors }),
    wire,
    batches: wire && (options.batches ?? isBatched(seed)),
    refusals: wire && (options.refusals ?? (isBatched(seed) && isRefused(seed))),
    seed,
    plan,
    settings: {
      ...settingsOf(entropy),
      ...(plan.wide.on.includes('receives-used-up') ? FEWEST_RECEIVES : {}),
      ...(plan.wide.on.includes('outside') ? leaseOutside(seed) : {}),
    },
    history: entropy.random() < 0.4 ? 'durable' : 'outcome',
    chaos: (made) => (chaos = new SwarmChaos(made)),
  });
  const startedAt = world.time.now;
  if (plan.wide.on.includes('ttl')) deleteExpired(world);
  const sandboxes = new Sandboxes(world);
  const stage: Stage = {
    world,
    sandboxes,
    source: new EventSource(world, sandboxes),
    producers: new Producers(world),
    chaos: chaos as unknown as SwarmChaos,
  };
  if (plan.has('two-versions')) sandboxes.version = () => (world.entropy.random() < 0.5 ? 1 : 2);
  stage.producers.watch();
  const operators = new Operators(world);
  const schedulers = new Schedulers(world);
  const queuers = new Queuers(world);
  const outsiders = new Outsiders(world, stage.source);
  const porters = new Porters(world);
  const foreigners = new Foreigners(world, stage.source);
  const crowd: readonly (readonly [Crowd, number])[] = [
    [operators, 10],
    [new Editors(world), 6],
    [new Cancellers(world), 9],
    [schedulers, 3],
    [new Batchers(world), 3],
    [new Buriers(world), 5],
    [new Erasers(world), 4],
    [new Triagers(world), 4],
    [new Keepers(world), 4],
    [queuers, 8],
    [outsiders, 3],
    [foreigners, 2],
    [new Bounders(world), 6],
    [new Guardians(world), 8],
    [porters, 8],
    [new Limiters(world), 6],
    [new Backfillers(world), 6],
    [new Heirs(world), 6],
  ];
  const rivals = new Rivals(world);
  rivals.start();
  const halfHour = async (): Promise<void> => {
    stage.producers.start(options.producers ?? 14, FAULTY_MS);
    for (const [some, count] of crowd) some.start(count, FAULTY_MS);
    new Ticks(world, sandboxes).start(FAULTY_MS);
    scheduleIncidents(stage, FAULTY_MS);
    await world.time.runUntil(world.time.now + FAULTY_MS);
  };
  await halfHour();
  // Nothing is old enough to be removed before that.
  if (plan.wide.on.includes('ttl') || worldHas('keeper', seed)) {
    await standStill(stage);
    await halfHour();
  }
  heal(stage);
  for (const [some] of crowd) some.thaw();
  rivals.thaw();
  await settle(stage, { operators, schedulers, queuers });
  await porters.finish();
  checkEnd(world);
  checkEconomy(world);
  const kinds = [...new Set<Fault>([...plan.injected.keys(), ...plan.wide.on])];
  return { ...reportOf(seed, world, sandboxes.orphans + outsiders.park.orphans + foreigners.park.orphans), kinds, struck: plan.struck };
}

/** Nothing is invoked for a day or longer: what is left from before it may expire, and is deleted while others still go by it. */
async function standStill({ world, source }: Stage): Promise<void> {
  const { entropy } = world.plan.wide;
  source.on = false;
  const days = entropy.random() < 0.7 ? 1 + (entropy.random() - 0.5) / 12 : entropy.random() * 20;
  await world.time.runUntil(world.time.now + Math.floor(days * 24 * HOUR));
  source.on = true;
  source.wake();
}

/** Deployments differ; every seed runs another one. */
function settingsOf(entropy: Entropy): Readonly<Record<string, number>> {
  const of = <Value>(values: readonly Value[]): Value => values[Math.floor(entropy.random() * values.length)] as Value;
  const [delayHorizonMs, horizonMs] = of([
    [900_000, 300_000],
    [900_000, 540_000],
    [480_000, 120_000],
  ] as const);
  return {
    delayHorizonMs,
    horizonMs,
    executorTimeoutMs: of([30_000, 60_000, 300_000]),
    maxConcurrency: of([2, 5, 20]),
    batchConcurrency: of([0, 1, 3]),
    parallelShards: 64,
    sweepSegments: of([1, 4]),
    sweepPageSize: of([1, 5, 500]),
    sweepReadUnits: of([10, 2_500]),
    timerPageSize: of([2, 200]),
    leaseMarginMs: of([4_000, 10_000]),
  };
}

/** Machines outside Lambda renew their leases. Each is twice as long as any margin above, or longer. */
const leaseOutside = (seed: number): Readonly<Record<string, number>> => ({ workerLeaseMs: seed % 4 === 0 ? 60_000 : 20_000 });

/** Ticks go on where they have something to do; in between they would only read. */
async function settle(
  { world, sandboxes, source }: Stage,
  { operators, schedulers, queuers }: { readonly operators: Operators; readonly schedulers: Schedulers; readonly queuers: Queuers },
): Promise<void> {
  const begun = world.time.now;
  const end = begun + PATIENCE_MS;
  for (let minute = 0; world.time.now < end && !isQuiet(world); minute++) {
    const soon = new Date(world.time.now + world.deployment.settings.horizonMs + MINUTE).toISOString();
    const due = world.store.tables.rows('timers').some((row) => String(row['due']) < soon);
    if (due || minute % 30 === 0) void sandboxes.acquire();
    const settling = world.store.tables.rows('jobs').length + world.store.tables.rows('suspended').length > 0 || isUntold(world.store);
    if (settling || minute % 30 === 0) void sandboxes.sweep();
    operators.lift();
    schedulers.resume();
    queuers.release();
    source.wake();
    await world.time.runUntil(world.time.now + MINUTE);
    world.checks.limits.checkReleased(world.store);
    world.checks.order.checkReleased();
    if (world.queues.metrics.silent) checkRescued(world, begun);
  }
}

function reportOf(seed: number, world: World, orphans: number): Omit<SeedReport, 'kinds' | 'struck'> {
  const { store, queues, time, checks, plan, trace } = world;
  return {
    seed,
    violations: checks.violations.list,
    operations: store.operations + queues.operations,
    writes: store.writes,
    events: time.events,
    jobs: checks.tracker.jobs.size,
    starts: checks.ledger.starts,
    overlaps: checks.ledger.overlaps,
    rescues: world.events.get('reset') ?? 0,
    causes: queues.astray + orphans,
    faults: plan.injected,
    verbs: checks.tracker.verbs,
    hash: trace.digest(),
    actors: world.actors,
  };
}
