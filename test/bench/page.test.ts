import { describe, expect, it } from 'vitest';
import { compared, measured } from '../../bench/frame/measurement.ts';
import type { BenchOutcome, BenchReport } from '../../bench/frame/report.ts';
import { barChart } from '../../bench/page/bar-chart.ts';
import { chartsOf } from '../../bench/page/charts.ts';
import { detailsOf } from '../../bench/page/details.ts';
import { reasonProblems, strayReasons } from '../../bench/page/missed.ts';
import { performancePage } from '../../bench/page/performance-page.ts';

const machine = { cpu: 'a processor', cores: 2, memoryGb: 8, os: 'linux x64', versions: { node: '24.0.0' } };
const reportOf = (benches: Readonly<Record<string, Omit<BenchOutcome, 'what' | 'tookSeconds'>>>): BenchReport => ({
  date: '2026-11-21T10:00:00.000Z',
  short: false,
  rounds: 3,
  machine,
  tookSeconds: 100,
  benches: Object.fromEntries(Object.entries(benches).map(([name, one]) => [name, { what: 'what it takes', ...one, tookSeconds: 1 }])),
});
const named = {
  id: 'overhead.wall',
  what: 'time <of> a|job',
  unit: 'ms',
  baselineName: 'by hand',
  target: { at: 'most', value: 1.15 },
} as const;
const missed = compared(named, [2, 3, 4], [1, 1, 1]);
const met = compared({ ...named, id: 'overhead.cpu' }, [1, 1, 1], [1, 1, 1]);

describe('the page about speed', () => {
  it('tells a missed target with its reason, and one that is met without', () => {
    const page = performancePage(reportOf({ overhead: { measurements: [missed, met] } }), { 'overhead.wall': 'The store is slow.' });
    expect(page).toContain('1 of 2.\n\n- **time &lt;of> a\\|job** (`overhead.wall`): 3x, at most 1.15\n\nThe store is slow.\n\n');
    expect(page).toContain('| time &lt;of> a\\|job | ms | 2 **3** 4 | **1**, by hand | 2 **3** 4 | at most 1.15 | **missed** |');
    expect(page).toContain('## Overhead\n\nWhat it takes. Took 1 s.');
    expect(page).toContain('](../images/performance/ratios.svg)');
  });

  it('shows a figure that no run has brought yet with its target and without a value', () => {
    const awaited = { overhead: [named, { ...named, id: 'overhead.new', what: 'new' }], cost: [named] };
    const page = performancePage(reportOf({ overhead: { measurements: [met] } }), {}, awaited);
    expect(page).toContain('| new | ms | not measured yet |  |  | at most 1.15 |  |');
    expect(performancePage(reportOf({ overhead: { measurements: [missed] } }), {}, awaited)).not.toContain(
      '| time &lt;of> a\\|job | ms | not',
    );
  });

  it('leaves out the picture of what was not measured', () => {
    const report = reportOf({ cost: { measurements: [measured({ id: 'cost.plain', what: 'plain', unit: 'writes' }, [3])] } });
    expect(chartsOf(report)).toEqual([]);
    expect(performancePage(report, {})).toContain('## Missed targets\n\nNone of 0.');
  });

  it('demands a reason for what is missed, and a target for each reason, met or not', () => {
    const report = reportOf({ overhead: { measurements: [missed, met] } });
    expect(reasonProblems(report, { 'overhead.wall': 'why' })).toEqual([]);
    expect(reasonProblems(report, { 'overhead.wall': 'why', 'overhead.cpu': 'a near miss' })).toEqual([]);
    expect(reasonProblems(report, {})).toEqual(['overhead.wall is missed and has no reason']);
    expect(strayReasons(report, { 'overhead.wall': 'why', 'overhead.cpu': 'a near miss' })).toEqual([]);
    expect(strayReasons(report, { 'overhead.gpu': 'why' })).toEqual(['overhead.gpu has a reason and no target']);
    expect(reasonProblems(report, { 'overhead.wall': ' ' })).toEqual(['overhead.wall is missed and has no reason']);
  });

  it('shows groups of named numbers as tables, the largest first, and shares in per cent', () => {
    expect(detailsOf('overhead', { profile: { store: 0.25, handler: 0.75 }, rounds: [1, 2], name: 'x' })).toEqual([
      '| profile |  |\n| --- | ---: |\n| handler | 75 % |\n| store | 25 % |',
    ]);
    expect(detailsOf('timers', { errorsMs: { fired: { least: 1, most: 9 }, dueSoon: { least: 2 } } })).toEqual([
      '| errors ms | fired | due soon |\n| --- | ---: | ---: |\n| least | 1 | 2 |\n| most | 9 |  |',
    ]);
    expect(detailsOf('cold-start', { bundles: { executor: { bytes: 1_020, groups: { middy: 20, sdk: 1_000 } } } })).toEqual([
      '| bundles | executor |\n| --- | ---: |\n| bytes | 1,020 |',
      '| bundles, groups | executor |\n| --- | ---: |\n| sdk | 1,000 |\n| middy | 20 |',
    ]);
    expect(detailsOf('cost', undefined)).toEqual([]);
  });
});

describe('a picture', () => {
  const [ratios] = chartsOf(reportOf({ overhead: { measurements: [missed, met] } }));

  it('of ratios escapes what it says, and says in words what it shows', () => {
    expect(ratios?.svg).toContain(
      '<desc id="desc">time &lt;of&gt; a|job: 3x, at most 1.15: missed. time &lt;of&gt; a|job: 1x, at most 1.15: met.</desc>',
    );
    expect(ratios?.svg).toContain('prefers-color-scheme: dark');
    expect(ratios?.svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('of ratios puts what is slower farther to the right', () => {
    const [slow = 0, same = 0] = [...(ratios?.svg ?? '').matchAll(/<circle class="\w+" cx="([\d.]+)"/g)].map(([, x]) => Number(x));
    expect(slow).toBeGreaterThan(same);
  });

  it('of bars draws them from zero on one scale, with what they are held against', () => {
    const svg = barChart({
      title: 'Rates',
      unit: 'jobs/s',
      groups: [
        {
          label: 'all',
          bars: [
            { label: 'a', value: 100, style: 'ours' },
            { label: 'b', value: 50, style: 'baseline' },
          ],
        },
      ],
      aim: { value: 60, label: 'least' },
    });
    const [a = 0, b = 0] = [...svg.matchAll(/<rect class="(?:ours|baseline)"[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(a).toBe(b * 2);
    expect(svg).toContain('<desc id="desc">In jobs/s. all: a 100, b 50. least: 60.</desc>');
  });

  it('of bars cuts off what is far beyond that, so that the others can be read', () => {
    const bars = [5, 5_000].map((value) => ({ label: 'a', value, style: 'ours' as const }));
    const svg = barChart({ title: 't', unit: 'u', groups: [{ label: '', bars }], aim: { value: 10, label: 'linear' } });
    const [low = 0, cut = 0] = [...svg.matchAll(/<rect class="ours"[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(cut).toBe(low * 4);
    expect(svg).toContain('5,000, cut off');
  });

  it('of nothing but zeros has no broken numbers', () => {
    expect(barChart({ title: 't', unit: 'u', groups: [{ label: '', bars: [{ label: 'a', value: 0, style: 'ours' }] }] })).not.toMatch(
      /NaN|Infinity/,
    );
  });

  it('of peers stands beside its unit, and shows us once', () => {
    const rate = compared({ id: 'peers.rate', what: 'jobs run', unit: 'jobs/s', baselineName: 'pg-boss' }, [10], [5]);
    const other = compared({ id: 'peers.other', what: 'jobs run', unit: 'jobs/s', baselineName: 'BullMQ' }, [10], [20]);
    const [chart] = chartsOf(reportOf({ peers: { measurements: [rate, other] } }));
    expect(chart?.svg).toContain('<desc id="desc">In jobs/s, median. jobs run: Nightcrew 10, pg-boss 5, BullMQ 20.</desc>');
    expect(chartsOf(reportOf({ peers: { measurements: [rate] } })).map(({ bench, file }) => [bench, file])).toEqual([
      ['peers', 'peers-jobs-s.svg'],
    ]);
  });
});
