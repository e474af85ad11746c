import type { Measurement } from '../frame/measurement.ts';
import { short } from '../frame/measurement-table.ts';
import type { BenchReport } from '../frame/report.ts';
import type { ScaleFigures } from '../scale/measure-scale.ts';
import { barChart, type BarGroup } from './bar-chart.ts';
import { measurementsOf } from './missed.ts';
import { ratioChart, ratiosOf } from './ratio-chart.ts';
import { growthChart } from './scale-section.ts';

/** A picture of the page. */
export interface Chart {
  /** The bench in whose section it is shown; empty: before all of them. */
  readonly bench: string;
  readonly file: string;
  readonly alt: string;
  readonly svg: string;
}

/** The pictures that the report has figures for. */
export function chartsOf(report: BenchReport): readonly Chart[] {
  const ratios = ratiosOf(measurementsOf(report));
  return [
    ...(ratios.length === 0 ? [] : [chart('', 'ratios', 'Every ratio against its target', ratioChart('Ratios against targets', ratios))]),
    ...Object.entries(report.benches).flatMap(([bench, { measurements, details }]) => benchCharts(bench, measurements, details)),
  ];
}

const SIDES: Readonly<Record<string, string>> = {
  peers: 'Compared with other job queues',
  'cold-start': 'Cold start of each function',
  throughput: 'Throughput compared with bare loops',
};

function benchCharts(bench: string, measurements: readonly Measurement[], details: object | undefined): readonly Chart[] {
  if (bench === 'scale' && details !== undefined) {
    return [chart(bench, 'growth', 'Time, write units and dollars of ten times the work', growthChart(details as ScaleFigures))];
  }
  if (bench === 'timers') return lateness(measurements);
  if (bench === 'branches') return ways(details);
  const title = SIDES[bench];
  if (title === undefined) return [];
  return unitsOf(measurements).map((unit) => {
    const groups = sideGroups(measurements.filter((one) => one.unit === unit && one.baseline !== undefined));
    return chart(bench, `${bench}-${fileWord(unit)}`, `${title}, ${unit}`, barChart({ title, unit: `${unit}, median`, groups }));
  });
}

/** A group for each thing that is measured: ours once, and everything that it is compared with. */
function sideGroups(measurements: readonly Measurement[]): readonly BarGroup[] {
  const groups = Map.groupBy(measurements, ({ what }) => what);
  return [...groups].map(([what, all]) => ({
    label: what,
    bars: [
      ...all.slice(0, 1).map(({ ours }) => ({ label: 'Nightcrew', value: ours.median, style: 'ours' as const })),
      ...all.flatMap(({ baseline }) =>
        baseline === undefined ? [] : [{ label: baseline.name, value: baseline.median, style: 'baseline' as const }],
      ),
    ],
  }));
}

function lateness(measurements: readonly Measurement[]): readonly Chart[] {
  const times = measurements.filter(({ unit }) => unit === 'ms' || unit === 's');
  if (times.length === 0) return [];
  const inMs = ({ unit, ours }: Measurement): number => (unit === 's' ? ours.median * 1_000 : ours.median);
  const groups = [
    {
      label: '',
      bars: times.map((one) => ({ label: one.what, value: inMs(one), style: 'ours' as const, text: `${short(inMs(one))} ms` })),
    },
  ];
  return [
    chart('timers', 'timers', 'How late timers fire', barChart({ title: 'How late timers fire', unit: 'ms, of all timers', groups })),
  ];
}

/** A group for tasks that wait and one for tasks that compute, with a bar for each way to do them; the first is what the others are compared with. */
function ways(details: { readonly seconds?: Readonly<Record<string, Readonly<Record<string, number>>>> } = {}): readonly Chart[] {
  const title = 'Ten tasks at once';
  const groups = Object.entries(details.seconds ?? {}).map(([kind, seconds]) => ({
    label: `tasks that ${kind.replace(/s$/, '')}`,
    bars: Object.entries(seconds).map(([way, value], at) => ({
      label: way,
      value,
      style: at === 0 ? ('baseline' as const) : ('ours' as const),
    })),
  }));
  return groups.length === 0 ? [] : [chart('branches', 'branches', title, barChart({ title, unit: 's, median', groups }))];
}

function unitsOf(measurements: readonly Measurement[]): readonly string[] {
  return [...new Set(measurements.filter(({ baseline }) => baseline !== undefined).map(({ unit }) => unit))];
}

function chart(bench: string, name: string, alt: string, svg: string): Chart {
  return { bench, file: `${name}.svg`, alt, svg };
}

const fileWord = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
