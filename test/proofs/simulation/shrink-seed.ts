import { shrinkList } from '../../support/shrink-list.ts';
import type { Cut, Strike } from './faults/cut-plan.ts';
import type { SeedReport } from './run-seed.ts';

/** What a run is judged by. */
export interface Judged extends Pick<SeedReport, 'kinds' | 'struck' | 'actors'> {
  readonly violations: readonly { readonly rule: string }[];
}

/** The least of a seed that still breaks a rule. */
export interface Shrunk {
  readonly rule: string;
  readonly cut: Required<Cut>;
  /** The single faults that are left, in their order. */
  readonly struck: readonly Strike[];
  /** That the rule is still broken was seen once more in the end. */
  readonly breaks: boolean;
  readonly before: { readonly faults: number; readonly strikes: number; readonly actors: number };
  readonly runs: number;
}

/**
 * Takes away what a seed does not need to break a rule: kinds of faults, then actors, then single faults. `run` runs the seed with a
 * part of its plan; after `most` runs what was found by then counts. Undefined when the whole seed does not break the rule.
 */
export async function shrinkSeed(run: (cut: Cut) => Promise<Judged>, rule: string, most: number): Promise<Shrunk | undefined> {
  let runs = 0;
  const breaks = ({ violations }: Judged): boolean => violations.some((violation) => violation.rule === rule);
  const stillBreaks = async (cut: Cut): Promise<boolean> => {
    if (runs >= most) return false;
    runs++;
    return breaks(await run(cut));
  };
  const whole = await run({});
  if (!breaks(whole)) return undefined;
  const faults = await shrinkList(whole.kinds, (left) => stillBreaks({ faults: left }));
  const actors = await shrinkList([...whole.actors], (left) => stillBreaks({ faults, actors: left }));
  const { struck } = await run({ faults, actors });
  const strikes = await shrinkList(
    struck.map(({ number }) => number),
    (left) => stillBreaks({ faults, actors, strikes: left }),
  );
  const cut = { faults, actors, strikes };
  const last = await run(cut);
  const before = { faults: whole.kinds.length, strikes: whole.struck.length, actors: whole.actors.size };
  return { rule, cut, struck: last.struck, breaks: breaks(last), before, runs: runs + 3 };
}
