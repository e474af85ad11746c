import { short } from '../frame/measurement-table.ts';
import { box, label, line, svgImage } from './svg-image.ts';

/** One bar; `style` is consistent between charts: ours is blue everywhere. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly style: 'ours' | 'baseline' | 'third';
  /** The text after the bar. Default: its value. */
  readonly text?: string;
}

/** Bars that are to be compared with each other. */
export interface BarGroup {
  readonly label: string;
  readonly bars: readonly Bar[];
}

/** A chart of one unit, all bars from zero on one scale. */
export interface BarChart {
  readonly title: string;
  readonly unit: string;
  readonly groups: readonly BarGroup[];
  /** A value that all bars are held against. Bars beyond twice as much are cut off, so that the others can be read. */
  readonly aim?: { readonly value: number; readonly label: string };
}

const WIDTH = 880;
const LEFT = 20;
const NAMES = 320;
const RIGHT = 110;
const TOP = 60;
const BAR = 22;
const GAP = 12;
const GROUP_HEAD = 22;
const CUT_AT = 2;

/** Bars lying on their side, in groups. */
export function barChart(chart: BarChart): string {
  const { title, unit, groups, aim } = chart;
  const start = LEFT + NAMES;
  const largest = Math.max(aim?.value ?? 0, ...groups.flatMap(({ bars }) => bars.map(({ value }) => value)), Number.MIN_VALUE);
  const most = Math.min(largest, aim === undefined ? largest : CUT_AT * aim.value);
  const length = (value: number): number => (Math.min(most, Math.max(0, value)) / most) * (WIDTH - start - RIGHT);
  let y = TOP;
  const marks: string[] = [];
  for (const group of groups) {
    if (group.label !== '') {
      marks.push(label(LEFT, y + 15, { text: group.label }));
      y += GROUP_HEAD;
    }
    for (const bar of group.bars) {
      marks.push(
        label(start - 10, y + 15, { text: bar.label, style: 'quiet', end: true }),
        box(bar.style, start, y + 3, [Math.max(1, length(bar.value)), BAR - 6]),
        label(start + length(bar.value) + 6, y + 15, {
          text: bar.value > most ? `${textOf(bar)}, cut off` : textOf(bar),
          style: 'ink small',
        }),
      );
      y += BAR;
    }
    y += GAP;
  }
  const at = start + length(aim?.value ?? 0);
  const aimMarks =
    aim === undefined
      ? []
      : [line('aim', [at, TOP - 4], [at, y - GAP + 4], 2), label(at + 6, TOP, { text: aim.label, style: 'quiet small' })];
  return svgImage({
    title,
    description: describe(chart),
    width: WIDTH,
    height: y + 8,
    marks: [
      label(LEFT, 24, { text: title, style: 'ink head' }),
      label(LEFT, 44, { text: unit, style: 'quiet small' }),
      line('grid', [start, TOP], [start, y - GAP]),
      ...aimMarks,
      ...marks,
    ],
  });
}

function describe({ unit, groups, aim }: BarChart): string {
  const said = groups.map(
    ({ label: name, bars }) => `${name === '' ? '' : `${name}: `}${bars.map((bar) => `${bar.label} ${textOf(bar)}`).join(', ')}.`,
  );
  return [`In ${unit}.`, ...said, ...(aim === undefined ? [] : [`${aim.label}: ${short(aim.value)}.`])].join(' ');
}

const textOf = ({ value, text }: Bar): string => text ?? short(value);
