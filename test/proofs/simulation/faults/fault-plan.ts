import type { Entropy } from '../../../../shared/ports/entropy.ts';
import { WIDE_FAULT_NAMES, type Wide, type WideFault, wideFaultsOf, wideWorld } from './wide-faults.ts';

/** Faults that strike a request to the store; rates are per request. */
const STORE_FAULTS = {
  'crash-before': 0.0015,
  'crash-after': 0.0015,
  'lost-reply': 0.01,
  'lost-for-good': 0.003,
  unavailable: 0.004,
  throttled: 0.01,
  conflict: 0.01,
  'late-write': 0.003,
  pause: 0.0015,
  zombie: 0.0015,
  'frozen-after': 0.0015,
  'stale-read': 0.01,
} as const;

/** Faults that strike a message: per message sent, received, acknowledged or postponed. */
const MESSAGE_FAULTS = {
  'send-failed': 0.02,
  'message-lost': 0.02,
  'message-doubled': 0.05,
  'message-reordered': 0.1,
  'received-and-vanished': 0.02,
  'acknowledge-lost': 0.02,
  'postpone-failed': 0.02,
} as const;

/** Faults that strike a tick. */
const TICK_FAULTS = { 'tick-missed': 0.15, 'tick-doubled': 0.1, 'tick-late': 0.15 } as const;

/** Faults that strike the world: expected times an hour. */
const WORLD_FAULTS = {
  'sandbox-killed': 6,
  'queue-purged': 0.5,
  'messages-expired': 0.5,
  'event-source-off': 0.5,
  'unreadable-message': 1,
  'producer-frozen': 2,
  'store-outage': 0.3,
  'row-spoiled': 0.5,
} as const;

/** States of a whole run: the chance that a run has them. */
const RUN_FAULTS = { 'clock-skew': 0.7, 'two-versions': 0.5, 'hop-limit': 0.3 } as const;

/** Faults of the wire between the real client and the store, in worlds that have one: per attempt that they can strike. */
export const WIRE_FAULTS = {
  'wire-reset': 0.006,
  'wire-failed': 0.004,
  'wire-denied': 0.2,
  'wire-clock-off': 0.03,
  'wire-half-batch': 0.1,
  'wire-entry-failed': 0.02,
  'wire-entry-unmentioned': 0.01,
  'wire-in-progress': 0.01,
  'wire-mixed-reasons': 0.4,
} as const;

/** Faults of single writes of a batch, in worlds whose writes travel together: per write that they can strike. */
export const BATCH_FAULTS = {
  'wire-statement-turned-away': 0.02,
  'wire-statement-failed': 0.01,
  'wire-statement-unexplained': 0.3,
  'wire-put-unprocessed': 0.1,
} as const;

/** What a whole batch can meet, in worlds whose store refuses some of them: a process that was refused one makes its writes one by one. */
export const REFUSAL_FAULTS = { 'wire-batch-refused': 0.1 } as const;

const RATES = { ...STORE_FAULTS, ...MESSAGE_FAULTS, ...TICK_FAULTS, ...WORLD_FAULTS } as const;

export type StoreFault = keyof typeof STORE_FAULTS;
export type RateFault = keyof typeof RATES;
export type WireFault = keyof typeof WIRE_FAULTS | keyof typeof BATCH_FAULTS | keyof typeof REFUSAL_FAULTS;
export type RunFault = keyof typeof RUN_FAULTS;
/** A word for everything that goes wrong in a simulated world. */
export type Fault = RateFault | RunFault | WideFault | WireFault | 'hop-dropped';

export const STORE_FAULT_NAMES: readonly StoreFault[] = Object.keys(STORE_FAULTS) as StoreFault[];
export const FAULT_NAMES: readonly Fault[] = [
  ...Object.keys(RATES),
  ...Object.keys(RUN_FAULTS),
  ...WIDE_FAULT_NAMES,
  ...Object.keys(WIRE_FAULTS),
  ...Object.keys(BATCH_FAULTS),
  ...Object.keys(REFUSAL_FAULTS),
  'hop-dropped',
] as Fault[];

/** What goes wrong in one run, and how often. */
export interface FaultPlan {
  rate(fault: RateFault): number;
  has(fault: RunFault): boolean;
  /** Whether the fault strikes now; counts it if it does. */
  strikes(fault: RateFault): boolean;
  /** Which of these strikes now, if one does, in one draw; counts it. */
  pick<Some extends RateFault>(faults: readonly Some[]): Some | undefined;
  /** Whether a fault that was decided on elsewhere happens; counts it if it does. */
  happens(fault: Fault): boolean;
  /** Notes a fault that happened elsewhere. */
  count(fault: Fault): void;
  readonly injected: ReadonlyMap<Fault, number>;
  /** What goes wrong only in a wide world. */
  readonly wide: Wide;
  /** From now on nothing goes wrong. */
  stop(): void;
  readonly stopped: boolean;
}

const OFF_CHANCE = 0.3;
const MOST_DOUBLINGS = 3;
/** Even a fault that strikes nearly always lets something pass. */
const MOST_CHANCE = 0.9;

/** How much more often than usual a fault strikes in one run: never (30 %), or 1 to 8 times as often. */
export function swarmScale(entropy: Entropy): number {
  return entropy.random() < OFF_CHANCE ? 0 : 2 ** (entropy.random() * MOST_DOUBLINGS);
}

/** Swarm testing: each seed turns each fault off (30 %) or scales it from 1 to 8 times, so that runs differ in kind. Some worlds are wide. */
export function swarmPlan(entropy: Entropy, seed: number): FaultPlan {
  const rates = new Map<RateFault, number>();
  for (const [fault, rate] of Object.entries(RATES) as [RateFault, number][]) {
    const scale = swarmScale(entropy);
    rates.set(fault, fault in WORLD_FAULTS ? rate * scale : Math.min(rate * scale, MOST_CHANCE));
  }
  const run = new Set<RunFault>();
  for (const [fault, chance] of Object.entries(RUN_FAULTS) as [RunFault, number][]) if (entropy.random() < chance) run.add(fault);
  return planOf(rates, run, entropy, wideFaultsOf(seed));
}

/** Nothing goes wrong but what a caller decides. */
export function quietPlan(entropy: Entropy, run: readonly RunFault[] = []): FaultPlan {
  return planOf(new Map(), new Set(run), entropy);
}

/** Only these go wrong, at these rates. */
export function planOf(
  rates: ReadonlyMap<RateFault, number>,
  run: ReadonlySet<RunFault>,
  entropy: Entropy,
  wide: Pick<Wide, 'on' | 'entropy'> = { on: [], entropy },
): FaultPlan {
  const injected = new Map<Fault, number>();
  const count = (fault: Fault): void => void injected.set(fault, (injected.get(fault) ?? 0) + 1);
  let stopped = false;
  for (const fault of run) count(fault);
  const rate = (fault: RateFault): number => (stopped ? 0 : (rates.get(fault) ?? 0));
  return {
    rate,
    has: (fault) => run.has(fault),
    count,
    happens: (fault) => {
      count(fault);
      return true;
    },
    injected,
    wide: wideWorld(wide.on, wide.entropy, { count, stopped: () => stopped }),
    strikes(fault) {
      const chance = rate(fault);
      if (chance === 0 || entropy.random() >= chance) return false;
      count(fault);
      return true;
    },
    pick(faults) {
      let draw = entropy.random();
      for (const fault of faults) {
        draw -= rate(fault);
        if (draw >= 0) continue;
        count(fault);
        return fault;
      }
      return undefined;
    },
    stop: () => void (stopped = true),
    get stopped() {
      return stopped;
    },
  };
}
