import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../shared/ports/clock.ts';

/** Prints the result of each step as it ends. */
export interface Report {
  readonly passed: number;
  readonly failed: number;
  /** Runs a step. If it throws, that is printed and counted, and its result is undefined; later steps still run. */
  step<T>(title: string, body: () => Promise<T>): Promise<T | undefined>;
  note(text: string): void;
}

/** State shared by the reports and waits of a run. */
export interface RunTerms {
  readonly clock: Clock;
  /** Aborted by Ctrl-C: no step starts any more, except those that clean up. */
  readonly stopping: AbortSignal;
}

/** A report on this process's output. */
export function createReport({ clock }: Pick<RunTerms, 'clock'>, print: (line: string) => void): Report {
  let [passed, failed] = [0, 0];
  return {
    get passed() {
      return passed;
    },
    get failed() {
      return failed;
    },
    async step(title, body) {
      const started = clock.now();
      const took = (): string => `${((clock.now() - started) / 1000).toFixed(1)} s`;
      try {
        const result = await body();
        passed += 1;
        print(`passed  ${title} (${took()})`);
        return result;
      } catch (error) {
        failed += 1;
        print(`FAILED  ${title} (${took()}): ${error instanceof Error ? error.message : String(error)}`);
        return undefined;
      }
    },
    note: (text) => print(`        ${text}`),
  };
}

const LOOK_EVERY_MS = 250;

/** The awaited condition and its timeout. */
export interface Expected<T> {
  readonly what: string;
  readonly look: () => Promise<T>;
  readonly is: (seen: T) => boolean;
  readonly withinMs: number;
}

/** Polls until the value is as expected and returns it. On timeout, throws with the last value. */
export async function until<T>({ what, look, is, withinMs }: Expected<T>, { clock, stopping }: RunTerms): Promise<T> {
  const deadline = clock.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (is(seen)) return seen;
    stopping.throwIfAborted();
    if (clock.now() > deadline) throw new Error(`${what}: not within ${withinMs / 1000} s; last seen ${shown(seen)}`);
    await clock.wait(LOOK_EVERY_MS, stopping);
  }
}

function shown(seen: unknown): string {
  const text = JSON.stringify(seen) ?? 'nothing';
  return text.length > 500 ? `${text.slice(0, 500)}...` : text;
}

/** Throws unless a value is the expected one; the message contains both. */
export function must(what: string, seen: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(seen, expected)) throw new Error(`${what} is ${shown(seen)}, expected ${shown(expected)}`);
}
