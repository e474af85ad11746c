import { type RatioMeasurement, ratiosOf } from './ratio-chart.ts';
import { measurementsOf } from './missed.ts';
import type { Machine } from '../frame/machine.ts';
import { short } from '../frame/measurement-table.ts';
import type { BenchReport } from '../frame/report.ts';

/** A ratio of both runs that has a target, which says whether less or more is better. */
export interface RatioChange {
  readonly id: string;
  readonly kept: number;
  readonly now: number;
  /** By what share it grew; negative: it shrank. */
  readonly change: number;
  readonly isWorse: boolean;
}

/** A ratio that is worse by more than this share is told. */
const MARGIN = 0.1;

/** The kind of a machine. Neither its memory nor the release of its kernel changes ratios. */
export function machineKind({ cpu, cores, os }: Machine): string {
  return `${cores} cores of ${cpu}, ${os.split(' ', 2).join(' ')}`;
}

/** The medians of the ratios that both runs have, in the order of the run of today; undefined if they ran on machines of two kinds. */
export function ratioChanges(kept: BenchReport, now: BenchReport): readonly RatioChange[] | undefined {
  if (machineKind(kept.machine) !== machineKind(now.machine)) return undefined;
  const before = new Map(ratiosOf(measurementsOf(kept)).map((one) => [one.id, one]));
  return ratiosOf(measurementsOf(now)).flatMap((one) => {
    const old = before.get(one.id);
    return old === undefined ? [] : [changeOf(old, one)];
  });
}

function changeOf({ ratio: { median: kept } }: RatioMeasurement, { id, ratio: { median: now }, target }: RatioMeasurement): RatioChange {
  const isWorse = target.at === 'most' ? now > kept * (1 + MARGIN) : now < kept * (1 - MARGIN);
  return { id, kept, now, change: now / kept - 1, isWorse };
}

/** The changes for people: a line each. */
export function changeTable(changes: readonly RatioChange[]): string {
  const row = (cells: readonly [string, string, string, string, string]): string =>
    `${`  ${cells[0]}`.padEnd(42)}${cells
      .slice(1, 4)
      .map((cell) => cell.padStart(10))
      .join('')}   ${cells[4]}`.trimEnd();
  const percent = (share: number): string => `${share < 0 ? '' : '+'}${Math.round(share * 100)} %`;
  return [
    row(['ratios', 'kept', 'now', 'change', '']),
    ...changes.map(({ id, kept, now, change, isWorse }) => row([id, short(kept), short(now), percent(change), isWorse ? 'WORSE' : ''])),
  ].join('\n');
}
