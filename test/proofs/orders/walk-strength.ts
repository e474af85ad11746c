import { join } from 'node:path';
import { inProcesses } from './in-processes.ts';
import type { Done, Task } from './share.ts';
import type { PairReport } from './walk-pair.ts';

/** Which pairs are walked, and how. */
export interface StrengthTerms {
  readonly pairs: readonly string[];
  readonly most: number;
  readonly processes: number;
  /** When no further pair is begun and those under way are cut, in epoch milliseconds. */
  readonly until: number;
  /** Shown each pair that was walked. */
  readonly done: (report: PairReport) => void;
}

const SHARE = join(import.meta.dirname, 'share.ts');

/** Walks pairs in their order, without faults and with each single fault; those under way when the time is up are cut. */
export async function walkStrength({ pairs, most, processes, until, done }: StrengthTerms): Promise<void> {
  let begun = 0;
  await inProcesses<Task, Done>({
    script: SHARE,
    processes,
    next: () => (Date.now() < until && begun < pairs.length ? { pairs: pairs.slice(begun, ++begun), most, until } : undefined),
    done: ({ reports }) => reports.forEach(done),
  });
}
