import type { BenchResult } from './bench.ts';
import type { Measurement } from './measurement.ts';
import type { Spread } from './spread.ts';

const WHAT = 54;
const SPREAD = 30;

/** The figures for people: a line each, minimum, median and maximum of the rounds. */
export function measurementTable(name: string, { measurements, notes = [] }: BenchResult): string {
  const head = `${name.padEnd(WHAT)}${'ours (min median max)'.padStart(SPREAD)}${'baseline'.padStart(SPREAD)}${'ratio'.padStart(22)}`;
  return [head, ...measurements.map(line), ...notes.map((note) => `  ${note}`)].join('\n');
}

function line({ what, unit, ours, baseline, ratio, target, met }: Measurement): string {
  const verdict = target === undefined ? '' : `   at ${target.at} ${target.value}: ${met === true ? 'met' : 'MISSED'}`;
  const other = baseline === undefined ? '' : spread(baseline);
  const text = `${`  ${what}, ${unit}`.padEnd(WHAT)}${spread(ours).padStart(SPREAD)}${other.padStart(SPREAD)}${(ratio === undefined ? '' : spread(ratio)).padStart(22)}${verdict}`;
  return baseline === undefined ? text : `${text}   baseline: ${baseline.name}`;
}

const spread = ({ min, median, max }: Spread): string => (min === max ? short(median) : [min, median, max].map(short).join(' '));

/** Three significant digits. */
export const short = (value: number): string =>
  value.toLocaleString('en-US', Math.abs(value) >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });
