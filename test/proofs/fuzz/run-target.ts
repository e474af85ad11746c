import fc from 'fast-check';
import type { FuzzTarget } from './fuzz-target.ts';

/** Which inputs a run tries. It is never broken off by time: an input that does not end would go with it unseen. */
export interface RunLimits {
  readonly seed: number;
  readonly runs: number;
}

/** The result of a run. `failure` is the smallest counterexample and its fault. */
export interface TargetReport {
  readonly inputs: number;
  readonly slowestMs: number;
  readonly failure?: { readonly counterexample: string; readonly error: string };
}

const ANSWERS_WITHIN_MS = 20_000;
const GUARDED: readonly object[] = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Promise.prototype];
const KNOWN = GUARDED.map((one) => new Set(Reflect.ownKeys(one)));

/** Names that were added to Object.prototype; they are removed again, so that the next input starts clean. */
function pollution(): readonly PropertyKey[] {
  return GUARDED.flatMap((one, index) => {
    const added = Reflect.ownKeys(one).filter((name) => KNOWN[index]?.has(name) !== true);
    for (const name of added) Reflect.deleteProperty(one, name);
    return added;
  });
}

/** Milliseconds that this process has computed: other processes do not count, however busy they keep the machine. */
function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** How long a check computes. One that takes too long is timed twice more: the garbage collector runs in between, and not each time. */
async function shortestOf(check: () => Promise<void>, longestMs: number): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && shortest > longestMs; tries++) {
    const startedAt = computedMs();
    await check();
    shortest = Math.min(shortest, computedMs() - startedAt);
  }
  return shortest;
}

/** Runs a target over inputs drawn from a seed: the same seed and number of runs try the same inputs. `tick` is called before each. */
export async function runTarget(target: FuzzTarget, limits: RunLimits, tick: () => void = () => {}): Promise<TargetReport> {
  let [inputs, slowestMs] = [0, 0];
  const property = target.property(async (check) => {
    tick();
    inputs++;
    const tookMs = await shortestOf(check, target.longestMs);
    slowestMs = Math.max(slowestMs, tookMs);
    if (tookMs > target.longestMs) throw new Error(`The input took ${Math.round(tookMs)} ms; at most ${target.longestMs} are allowed.`);
    const added = pollution();
    if (added.length > 0) throw new Error(`A prototype that every object shares was given ${added.map(String).join()}.`);
  });
  const details = await fc.check(property, {
    seed: limits.seed,
    numRuns: limits.runs,
    // A promise that never settles cannot be timed from within.
    timeout: target.answersWithinMs ?? ANSWERS_WITHIN_MS,
  });
  const counterexample = details.counterexample?.[0];
  if (!details.failed) return { inputs, slowestMs };
  return { inputs, slowestMs, failure: { counterexample: fc.stringify(counterexample), error: explained(details.errorInstance) } };
}

function explained(error: unknown): string {
  const links: string[] = [];
  for (let link = error; link instanceof Error && links.length < 5; link = link.cause) links.push(link.stack ?? String(link));
  return links.length === 0 ? fc.stringify(error) : links.join('\nCaused by: ');
}
