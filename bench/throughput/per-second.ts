import { compared, type Measurement } from '../frame/measurement.ts';
import type { Rounds } from '../frame/interleave.ts';

/** Which share of the bench's progress a figure takes. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** The cost of a piece of work: items per second, and this process's CPU time for each, in microseconds. */
export interface Pace {
  readonly rate: number;
  readonly cpu: number;
}

const FOUR_FIFTHS = 0.8;

/** What is compared; `least` is the target: so many times the rate of the bare loop. */
interface Named {
  readonly id: string;
  readonly what: string;
  readonly item: string;
  readonly baselineName: string;
  readonly least?: number;
}

/** The pace at which `work` did `count`. */
export async function paceOf(count: number, work: () => Promise<void>): Promise<Pace> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { rate: (count * 1_000) / (performance.now() - startedAt), cpu: (user + system) / count };
}

/** The two lines of a comparison: the rate, with a target of at least `least` times the bare loop's, and the CPU time, because emulators limit the rate. */
export function paceLines(
  { id, what, item, baselineName, least = FOUR_FIFTHS }: Named,
  { ours, bare }: Rounds<'rate' | 'cpu', 'ours' | 'bare'>,
): readonly Measurement[] {
  return [
    compared({ id, what, unit: `${item}s/s`, target: { at: 'least', value: least }, baselineName }, ours.rate, bare.rate),
    compared({ id: `${id}.cpu`, what: `${what.split(',')[0]}, CPU`, unit: `µs a ${item}`, baselineName }, ours.cpu, bare.cpu),
  ];
}
