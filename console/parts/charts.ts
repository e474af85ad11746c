import { html } from 'hono/html';
import type { Html } from '../page.ts';
import type { Tone } from './pills.ts';
import { inZone } from './times.ts';

/** Values of one kind, one a bucket; undefined where there is none. */
export interface Series {
  readonly label: string;
  readonly tone: Tone;
  readonly values: readonly (number | undefined)[];
}

/** The data of a chart: buckets of equal length that begin at `from`. */
export interface ChartProps {
  readonly title: string;
  readonly from: number;
  readonly stepMs: number;
  readonly zone: string;
  readonly series: readonly Series[];
  /** A value as its axis and its tooltips write it. Default: as it is. */
  readonly format?: (value: number) => string;
  /** Behind a label in the legend, such as a sum. */
  readonly told?: (series: Series) => string;
}

const WIDTH = 640;
const HEIGHT = 190;
const LEFT = 62;
/** Of a character of a label, at most. */
const CHARACTER = 8;
/** Between a label and the axis. */
const GAP = 6;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 22;
const INNER_HEIGHT = HEIGHT - TOP - BOTTOM;
const ROWS = 4;
const TIMES = 5;

/** Series on top of each other, a bar a bucket. */
export function barChart(parts: ChartProps): Html {
  const sums = bucketsOf(parts).map((index) => parts.series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const top = niceTop(Math.max(0, ...sums));
  const { left, inner } = widthsOf(parts, top);
  const width = inner / Math.max(1, sums.length);
  const bars = bucketsOf(parts).map((index) => {
    let below = 0;
    return parts.series.map(({ values, tone }) => {
      const value = values[index] ?? 0;
      if (value <= 0) return '';
      const height = (value / top) * INNER_HEIGHT;
      below += height;
      return html`<rect
        class="series-${tone}"
        stroke="none"
        x="${fixed(left + index * width + width * 0.1)}"
        y="${fixed(TOP + INNER_HEIGHT - below)}"
        width="${fixed(width * 0.8)}"
        height="${fixed(height)}"
      ></rect>`;
    });
  });
  return frame(parts, top, html`${bars}`);
}

/** A line for each series; it ends where a bucket has no value. */
export function lineChart(parts: ChartProps): Html {
  const top = niceTop(Math.max(0, ...parts.series.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const { left, inner } = widthsOf(parts, top);
  const width = inner / Math.max(1, bucketsOf(parts).length);
  const lines = parts.series.flatMap(({ values, tone }) =>
    runsOf(values).map((run) => {
      const points = run.map(
        ([index, value]) => `${fixed(left + (index + 0.5) * width)},${fixed(TOP + INNER_HEIGHT - (value / top) * INNER_HEIGHT)}`,
      );
      const [only = ''] = points;
      const [x = '0', y = '0'] = only.split(',');
      if (points.length === 1) return html`<circle class="series-${tone}" cx="${x}" cy="${y}" r="2.5"></circle>`;
      return html`<polyline class="line series-${tone}" fill="none" points="${points.join(' ')}"></polyline>`;
    }),
  );
  return frame(parts, top, html`${lines}`);
}

function frame(parts: ChartProps, top: number, inside: Html): Html {
  const { title, series, zone, from, stepMs, format = String, told = () => '' } = parts;
  const buckets = bucketsOf(parts);
  const { left, inner } = widthsOf(parts, top);
  const width = inner / Math.max(1, buckets.length);
  const at = (index: number): string => inZone(new Date(from + index * stepMs), zone).slice(11, 16);
  const rows = rowsOf(top);
  const ticks = Array.from({ length: TIMES }, (_, tick) => Math.round((buckets.length / TIMES) * tick));
  const yOf = (value: number): string => fixed(TOP + INNER_HEIGHT - (value / top) * INNER_HEIGHT);
  const bucketText = (index: number): string =>
    [at(index), ...series.map(({ label, values }) => `${label} ${values[index] === undefined ? '-' : format(values[index])}`)].join('\n');
  return html`<figure class="chart">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
      ${rows.map(
        (value) =>
          html`<line class="grid" x1="${left}" x2="${WIDTH - RIGHT}" y1="${yOf(value)}" y2="${yOf(value)}"></line>
            <text x="${left - GAP}" y="${yOf(value)}" dy="4" text-anchor="end">${format(value)}</text>`,
      )}
      ${ticks.map((index) => html`<text x="${fixed(left + index * width)}" y="${HEIGHT - 5}">${at(index)}</text>`)} ${inside}
      ${buckets.map(
        (index) =>
          html`<rect class="hover" x="${fixed(left + index * width)}" y="${TOP}" width="${fixed(width)}" height="${INNER_HEIGHT}">
            <title>${bucketText(index)}</title>
          </rect>`,
      )}
    </svg>
    <figcaption>
      ${series.map(
        (one) =>
          html`<span
            ><svg class="swatch" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
              <rect class="series-${one.tone}" width="10" height="10" rx="2"></rect></svg
            >${one.label} ${told(one)}</span
          >`,
      )}
    </figcaption>
  </figure>`;
}

const rowsOf = (top: number): readonly number[] => Array.from({ length: ROWS + 1 }, (_, row) => (top / ROWS) * row);

/** The position of the axis, right of its longest label, and the width left for the buckets. */
function widthsOf({ format = String }: ChartProps, top: number): { readonly left: number; readonly inner: number } {
  const longest = Math.max(...rowsOf(top).map((value) => format(value).length));
  const left = Math.max(LEFT, longest * CHARACTER + GAP);
  return { left, inner: WIDTH - left - RIGHT };
}

const bucketsOf = ({ series }: ChartProps): readonly number[] =>
  Array.from({ length: Math.max(0, ...series.map(({ values }) => values.length)) }, (_, index) => index);

const fixed = (value: number): string => value.toFixed(1).replace(/\.0$/, '');

/** The values in pieces without gaps, each with its bucket. */
function runsOf(values: readonly (number | undefined)[]): readonly (readonly (readonly [number, number])[])[] {
  const runs: (readonly [number, number])[][] = [];
  let open: (readonly [number, number])[] | undefined;
  for (const [index, value] of values.entries()) {
    if (value === undefined) open = undefined;
    else if (open === undefined) runs.push((open = [[index, value]]));
    else open.push([index, value]);
  }
  return runs;
}

/** The end of an axis: a round number, and one that four rows divide into round numbers. */
export function niceTop(value: number): number {
  if (value <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((step) => step * power >= value) ?? 10) * power;
}
