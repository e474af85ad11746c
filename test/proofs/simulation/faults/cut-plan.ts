import type { Fault, FaultPlan } from './fault-plan.ts';
import type { Wide } from './wide-faults.ts';

/** What of a run takes place; all of what is not named. */
export interface Cut {
  /** Kinds of faults. */
  readonly faults?: readonly Fault[];
  /** Single faults among those, by their number. */
  readonly strikes?: readonly number[];
  /** Users and operators: the others die before they do anything. */
  readonly actors?: readonly string[];
}

/** A fault that happened. */
export interface Strike {
  /** Among the faults of the kinds that take place. */
  readonly number: number;
  readonly fault: Fault;
  readonly at: number;
}

/** A plan of which only a part happens. */
export interface CutPlan extends FaultPlan {
  readonly struck: readonly Strike[];
}

/** Lets only a part of a plan happen. All of it is drawn all the same, so that the rest of the run stays as it was, as far as it can. */
export function cutPlan(plan: FaultPlan, { faults, strikes }: Cut, now: () => number): CutPlan {
  const struck: Strike[] = [];
  const injected = new Map<Fault, number>();
  const count = (fault: Fault): void => void injected.set(fault, (injected.get(fault) ?? 0) + 1);
  const allows = (fault: Fault): boolean => faults?.includes(fault) !== false;
  let number = 0;
  const happens = (fault: Fault): boolean => {
    if (!allows(fault)) return false;
    number++;
    if (strikes?.includes(number) === false) return false;
    struck.push({ number, fault, at: now() });
    count(fault);
    return true;
  };
  for (const fault of plan.injected.keys()) if (allows(fault)) count(fault);
  const wide: Wide = {
    ...plan.wide,
    on: plan.wide.on.filter(allows),
    has: (fault) => allows(fault) && plan.wide.has(fault),
    strikes: (fault, chance) => plan.wide.strikes(fault, chance) && happens(fault),
  };
  const deps = {
    has: (fault) => plan.has(fault) && allows(fault),
    strikes: (fault) => plan.strikes(fault) && happens(fault),
    pick: (choice) => {
      const fault = plan.pick(choice);
      return fault !== undefined && happens(fault) ? fault : undefined;
    },
    happens,
    count,
    injected,
    wide,
  } satisfies Partial<FaultPlan>;
  // What a plan has besides is its own.
  return Object.assign(Object.create(plan) as FaultPlan, deps, { struck });
}
