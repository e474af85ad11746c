import { type Spread, spreadOf } from './spread.ts';

/** A target for the median: of the ratio if there are two sides, otherwise of the figure itself. */
export interface Target {
  readonly at: 'most' | 'least';
  readonly value: number;
}

/** One line of a report: our figure, the baseline's in the same rounds, and their ratio. */
export interface Measurement {
  /** Unique in the whole report and stable from run to run, as `overhead.wall`. */
  readonly id: string;
  /** Description for readers. */
  readonly what: string;
  readonly unit: string;
  readonly ours: Spread;
  /** The baseline; `name` describes it, as in "hand-written handler". */
  readonly baseline?: Spread & { readonly name: string };
  /** Ours divided by the other side's, round by round. */
  readonly ratio?: Spread;
  readonly rounds: number;
  readonly target?: Target;
  /** Left out where there is no target. */
  readonly met?: boolean;
}

/** What a figure is, without its values. */
export interface Named {
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  readonly target?: Target;
}

/** A figure without a baseline. */
export function measured(named: Named, values: readonly number[]): Measurement {
  const ours = spreadOf(values);
  return judged({ ...named, ours, rounds: values.length }, ours.median);
}

/** A figure of both sides; each round's values belong together, so the ratio is taken round by round. */
export function compared(
  named: Named & { readonly baselineName: string },
  ours: readonly number[],
  baseline: readonly number[],
): Measurement {
  if (ours.length !== baseline.length)
    throw new Error(`${named.id} has ${ours.length} rounds on one side and ${baseline.length} on the other.`);
  const { baselineName: name, ...rest } = named;
  const ratio = spreadOf(ours.map((value, round) => value / (baseline[round] ?? Number.NaN)));
  return judged({ ...rest, ours: spreadOf(ours), baseline: { name, ...spreadOf(baseline) }, ratio, rounds: ours.length }, ratio.median);
}

function judged(measurement: Measurement, value: number): Measurement {
  const { target } = measurement;
  if (target === undefined) return measurement;
  return { ...measurement, met: target.at === 'most' ? value <= target.value : value >= target.value };
}
