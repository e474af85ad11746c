import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import type { Entropy } from '../../../../shared/ports/entropy.ts';
import { worldHas } from '../world/some-worlds.ts';

/** Faults that only wide worlds have, with the chance that one of these has it. */
const WIDE_FAULTS = {
  'step-fault': 0.35,
  'timers-first': 0.35,
  'hot-partition': 0.3,
  'wrong-metrics': 0.3,
  'clock-jump': 0.3,
  'index-lag': 0.3,
  rivals: 0.3,
  ttl: 0.2,
  'clock-wrong': 0.1,
  'partial-batch': 0.3,
} as const;

const DRAWN = Object.keys(WIDE_FAULTS) as (keyof typeof WIDE_FAULTS)[];
/** Came later, and leave the worlds that were there as they are. */
const BY_SEED = ['receives-used-up', 'two-layouts', 'outside', 'foreign'] as const;

export type WideFault = (typeof DRAWN)[number] | (typeof BY_SEED)[number];
export const WIDE_FAULT_NAMES: readonly WideFault[] = [...DRAWN, ...BY_SEED];

/** What goes wrong in a wide world besides the rest. It has chance of its own, so that a world without these faults is what it was before them. */
export interface Wide {
  readonly entropy: Entropy;
  /** Whether this world has the fault, as long as anything goes wrong in it. */
  has(fault: WideFault): boolean;
  /** Whether the fault strikes now, by a chance that counts where the world has it; notes it if it does. */
  strikes(fault: WideFault, chance: number): boolean;
  /** The faults that this world has. */
  readonly on: readonly WideFault[];
}

/** Where a plan says what has struck, and whether anything goes wrong still. */
export interface WideFaultDeps {
  readonly count: (fault: WideFault) => void;
  readonly stopped: () => boolean;
}

const WIDE_CHANCE = 0.6;
/** The hints of mutants and the first seeds stay what they were. */
const PLAIN_SEEDS = 100;
/** Leaves the seeds plain that had broken a rule before there were wide worlds. */
const SALT = 180_601;

/** What the world of a seed has of it: nothing in two of five, and elsewhere each fault by its chance. */
export function wideFaultsOf(seed: number): { readonly on: readonly WideFault[]; readonly entropy: Entropy } {
  const entropy = seededEntropy(seed * 67 + SALT);
  const isWide = entropy.random() < WIDE_CHANCE && seed > PLAIN_SEEDS;
  const drawn = DRAWN.filter((fault) => entropy.random() < WIDE_FAULTS[fault]);
  const others = BY_SEED.filter((fault) => worldHas(fault, seed));
  // Drawn from a stream of its own, so that a fault that is added at the end of the list leaves the others as they are.
  return { on: isWide ? [...drawn, ...others] : [], entropy: seededEntropy(seed * 71 + SALT) };
}

/** A world with these faults. */
export function wideWorld(on: readonly WideFault[], entropy: Entropy, { count, stopped }: WideFaultDeps): Wide {
  const has = (fault: WideFault): boolean => on.includes(fault) && !stopped();
  return {
    on,
    entropy,
    has,
    strikes(fault, chance) {
      if (!has(fault) || entropy.random() >= chance) return false;
      count(fault);
      return true;
    },
  };
}
