import { setTimeout as pause } from 'node:timers/promises';
import type { Arrivals } from './arrivals.ts';
import type { Hop } from './hop.ts';

const REST_MS = 8;

/** One after another, each with nothing else under way: milliseconds from the call of `send` to the start of the handler. */
export async function oneByOne(hop: Hop, arrivals: Arrivals, count: number, after?: (from: number, to: number) => void): Promise<number[]> {
  const latencies: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const { n, arrived } = arrivals.expect();
    const from = performance.now();
    const [to] = await Promise.all([arrived, hop.send(n)]);
    latencies.push(to - from);
    after?.(from, to);
    // Work after the start, such as a delete, ends before the next one.
    await pause(REST_MS);
  }
  return latencies;
}

/** At a steady rate, regardless of pending work. */
export async function steadily(hop: Hop, arrivals: Arrivals, { count, everyMs }: { count: number; everyMs: number }): Promise<number[]> {
  const begun = performance.now();
  const under: Promise<number>[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const early = begun + sent * everyMs - performance.now();
    if (early > 0) await pause(early);
    const { n, arrived } = arrivals.expect();
    const from = performance.now();
    const latency = Promise.all([arrived, hop.send(n)]).then(([to]) => to - from);
    // Thrown below; until then the rejection must be handled.
    latency.catch(() => {});
    under.push(latency);
  }
  return Promise.all(under);
}
