import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { endedLine, perform, runOfLine } from '../../bench/branches/tasks.ts';
import type { BenchReport } from '../../bench/frame/report.ts';
import { chartsOf } from '../../bench/page/charts.ts';

describe('the bench of branches', () => {
  test('knows the line of a job that has ended from any other', () => {
    expect(runOfLine(endedLine('r1'))).toBe('r1');
    expect(runOfLine('{"level":"INFO"}')).toBeUndefined();
  });

  test('has tasks that wait side by side', async () => {
    const ended: number[] = [];
    await Promise.all([20, 1].map(async (size) => perform({ run: 'r', kind: 'waits', size }).then(() => ended.push(size))));
    expect(ended).toEqual([1, 20]);
  });

  test('has tasks that hold their thread until they are done', async () => {
    const ended: string[] = [];
    const waited = perform({ run: 'r', kind: 'waits', size: 0 }).then(() => ended.push('wait'));
    const computed = perform({ run: 'r', kind: 'computes', size: 10_000 }).then(() => ended.push('computation'));
    await Promise.all([waited, computed]);
    expect(ended).toEqual(['computation', 'wait']);
  });
});

test('docs/guides/parallel-work.md has the figures of the last full run', () => {
  const [, section = ''] = readFileSync('docs/reference/performance.md', 'utf8').split('| seconds | waits | computes |');
  const rows = section
    .slice(0, section.indexOf('\n\n'))
    .split('\n')
    .filter((row) => /^\| \w/.test(row));
  const page = readFileSync('docs/guides/parallel-work.md', 'utf8');
  expect(rows).toHaveLength(5);
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});

test('has a chart with a bar for each way, of both kinds of tasks', () => {
  const seconds = { waits: { 'in turn': 5, 'at once': 0.5 }, computes: { 'in turn': 3, 'at once': 2.9 } };
  const report = { benches: { branches: { measurements: [], details: { seconds } } } } as unknown as BenchReport;
  const [chart] = chartsOf(report);
  expect(chart).toMatchObject({ bench: 'branches', file: 'branches.svg' });
  expect(chart?.svg).toMatch(/tasks that wait.*tasks that compute/s);
  expect(chart?.svg.match(/<rect class="(?:ours|baseline)"/g)).toHaveLength(4);
});
