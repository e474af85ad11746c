import { TRANSITIONS } from '../../../shared/job/transitions.ts';
import { type Fault, FAULT_NAMES } from './faults/fault-plan.ts';
import type { SeedReport } from './run-seed.ts';

/** The rule that a world breaks when it breaks off. */
export const WORLD_BROKE = 'world-broke';

/** A violation as it is reported: with the seed that shows it. */
export interface SeedViolation {
  readonly seed: number;
  readonly rule: string;
  readonly what: string;
}

/** What many seeds came to; plain data, so that processes can hand it to each other. */
export interface Totals {
  seeds: number;
  operations: number;
  writes: number;
  events: number;
  jobs: number;
  starts: number;
  rescues: number;
  causes: number;
  violations: SeedViolation[];
  /** How often each fault was injected, and each verb seen. */
  faults: Record<string, number>;
  verbs: Record<string, number>;
}

export function noTotals(): Totals {
  return {
    seeds: 0,
    operations: 0,
    writes: 0,
    events: 0,
    jobs: 0,
    starts: 0,
    rescues: 0,
    causes: 0,
    violations: [],
    faults: {},
    verbs: {},
  };
}

const NUMBERS = ['operations', 'writes', 'events', 'jobs', 'starts', 'rescues', 'causes'] as const;

/** Adds one seed. */
export function addSeed(totals: Totals, report: SeedReport): void {
  totals.seeds++;
  for (const name of NUMBERS) totals[name] += report[name];
  totals.violations.push(...report.violations.map(({ rule, what }) => ({ seed: report.seed, rule, what })));
  for (const [fault, count] of report.faults) totals.faults[fault] = (totals.faults[fault] ?? 0) + count;
  for (const [verb, count] of report.verbs) totals.verbs[verb] = (totals.verbs[verb] ?? 0) + count;
}

/** Adds what another process came to. */
export function addTotals(totals: Totals, other: Totals): void {
  totals.seeds += other.seeds;
  for (const name of NUMBERS) totals[name] += other[name];
  totals.violations.push(...other.violations);
  for (const kind of ['faults', 'verbs'] as const) {
    for (const [name, count] of Object.entries(other[kind])) totals[kind][name] = (totals[kind][name] ?? 0) + count;
  }
}

/** Faults that never struck and transitions that never happened: a run that has some proves nothing about them. */
export function neverSeen(totals: Totals): readonly string[] {
  return [
    ...FAULT_NAMES.filter((fault: Fault) => !totals.faults[fault]).map((fault) => `fault ${fault}`),
    ...[...new Set(TRANSITIONS.map(({ verb }) => verb))].filter((verb) => !totals.verbs[verb]).map((verb) => `transition ${verb}`),
  ];
}

/** More sends of a sweeper than what went wrong explains: the mark of a fence that is lost without need. */
export function unexplainedRescues({ rescues, causes }: Totals): string | undefined {
  return rescues <= causes * 1.05 ? undefined : `${rescues} rescues, but only ${causes} causes`;
}
