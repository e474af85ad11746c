import type { Measurement, Named, Target } from '../frame/measurement.ts';
import { short } from '../frame/measurement-table.ts';
import type { Spread } from '../frame/spread.ts';

/** The lines of one bench: ours, the baseline, their ratio and the target; then the figures that no run has brought yet. */
export function figureTable(measurements: readonly Measurement[], awaited: readonly Named[] = []): string {
  const compared = measurements.some(({ baseline }) => baseline !== undefined);
  const aimed = [...measurements, ...awaited].some(({ target }) => target !== undefined);
  const head = ['what', 'unit', 'ours', ...(compared ? ['baseline', 'ratio'] : []), ...(aimed ? ['target', ''] : [])];
  const rows = measurements.map(({ what, unit, ours, baseline, ratio, target, met }) => [
    cell(what),
    cell(unit),
    spreadText(ours),
    ...(compared ? [baseline === undefined ? '' : `${spreadText(baseline)}, ${cell(baseline.name)}`, ratioText(ratio)] : []),
    ...(aimed ? [targetText(target), verdict(met)] : []),
  ]);
  const empty = awaited.map(({ what, unit, target }) => [
    cell(what),
    cell(unit),
    'not measured yet',
    ...(compared ? ['', ''] : []),
    ...(aimed ? [targetText(target), ''] : []),
  ]);
  const right = new Set(['ours', 'ratio']);
  return markdownTable(
    head.map((text) => ({ text, right: right.has(text) })),
    [...rows, ...empty],
  );
}

/** A table in Markdown. */
export function markdownTable(
  head: readonly { readonly text: string; readonly right?: boolean }[],
  rows: readonly (readonly string[])[],
): string {
  return [
    `| ${head.map(({ text }) => text).join(' | ')} |`,
    `| ${head.map(({ right }) => (right === true ? '---:' : '---')).join(' | ')} |`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}

/** Text that breaks no table and no page. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}

/** A target in words, as "at most 1.15". */
export function targetText(target: Target | undefined): string {
  return target === undefined ? '' : `at ${target.at} ${target.value}`;
}

/** Minimum, median and maximum; one figure where they are the same. */
export function spreadText({ min, median, max }: Spread): string {
  return min === max ? `**${short(median)}**` : `${short(min)} **${short(median)}** ${short(max)}`;
}

function ratioText(ratio: Spread | undefined): string {
  return ratio === undefined ? '' : spreadText(ratio);
}

function verdict(met: boolean | undefined): string {
  if (met === undefined) return '';
  return met ? 'met' : '**missed**';
}
