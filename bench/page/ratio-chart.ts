import type { Measurement } from '../frame/measurement.ts';
import { short } from '../frame/measurement-table.ts';
import { dot, label, line, svgImage } from './svg-image.ts';

const WIDTH = 820;
const LEFT = 20;
const RIGHT = 230;
const TOP = 64;
const ROW = 46;
const TICKS = [0.25, 0.5, 0.8, 1, 1.25, 2, 4, 8, 16];

/** A measurement with two sides and a target, which this chart shows. */
export type RatioMeasurement = Measurement & Required<Pick<Measurement, 'ratio' | 'target' | 'met'>>;

/** Those of a report that have a ratio and a target. */
export function ratiosOf(measurements: readonly Measurement[]): readonly RatioMeasurement[] {
  return measurements.filter(
    (one): one is RatioMeasurement => one.ratio !== undefined && one.target !== undefined && one.met !== undefined,
  );
}

/** Every ratio with its rounds and its target, on a scale on which twice as much and half as much are equally far from one. */
export function ratioChart(title: string, rows: readonly RatioMeasurement[]): string {
  const all = rows.flatMap(({ ratio, target }) => [ratio.min, ratio.max, target.value]).filter((value) => value > 0);
  const [least, most] = [Math.min(0.8, ...all) / 1.05, Math.max(1.25, ...all) * 1.05];
  const inner = WIDTH - LEFT - RIGHT;
  const x = (value: number): number => LEFT + (Math.log(Math.max(value, least) / least) / Math.log(most / least)) * inner;
  const bottom = TOP + rows.length * ROW;
  const ticks = spaced(
    TICKS.filter((tick) => tick >= least && tick <= most),
    x,
  );
  return svgImage({
    title,
    description: rows.map((row) => `${row.what}: ${words(row)}.`).join(' '),
    width: WIDTH,
    height: bottom + 34,
    marks: [
      label(LEFT, 24, { text: title, style: 'ink head' }),
      label(LEFT, 44, { text: 'dot: median; bar: all rounds; upright: the target', style: 'quiet small' }),
      ...ticks.flatMap((tick) => [
        line(tick === 1 ? 'one' : 'grid', [x(tick), TOP - 8], [x(tick), bottom]),
        label(x(tick) - 8, bottom + 18, { text: `${tick}x`, style: 'quiet small' }),
      ]),
      ...rows.flatMap((row, index) => rowMarks(row, TOP + index * ROW, x)),
    ],
  });
}

function rowMarks(row: RatioMeasurement, top: number, x: (value: number) => number): readonly string[] {
  const { id, what, baseline, ratio, target, met } = row;
  const style = met ? 'met' : 'missed';
  const y = top + 28;
  return [
    label(LEFT, top + 13, { text: `${id.split('.')[0]}: ${what}${baseline === undefined ? '' : `, against ${baseline.name}`}` }),
    line(style, [x(ratio.min), y], [x(ratio.max), y], 4),
    line('aim', [x(target.value), y - 10], [x(target.value), y + 10], 3),
    dot(style, x(ratio.median), y),
    label(WIDTH - 16, y + 4, { text: words(row), end: true }),
  ];
}

function words({ ratio, target, met }: RatioMeasurement): string {
  return `${short(ratio.median)}x, at ${target.at} ${target.value}: ${met ? 'met' : 'missed'}`;
}

/** The ticks that leave room for their text; the one at 1 always does. */
function spaced(ticks: readonly number[], x: (value: number) => number): readonly number[] {
  const kept: number[] = ticks.filter((tick) => tick === 1);
  for (const tick of ticks) if (kept.every((other) => Math.abs(x(other) - x(tick)) > 36)) kept.push(tick);
  return kept;
}
