import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BENCHES } from '../../bench/benches.ts';
import { FULL_ROUNDS } from '../../bench/options.ts';
import { AWAITED } from '../../bench/page/awaited.ts';
import { measurementsOf, reasonProblems } from '../../bench/page/missed.ts';
import { REASONS } from '../../bench/page/reasons.ts';
import { performanceFiles, savedReport } from '../../scripts/generate-performance-doc.ts';
import { fromRoot } from './source-files.ts';

const report = savedReport();
const files = performanceFiles(report);

describe('docs/reference/performance.md', () => {
  test.each([...files.keys()])('%s is what bench/results/performance.json says (npm run docs writes it)', (path) => {
    expect(readFileSync(fromRoot(path), 'utf8')).toBe(files.get(path));
  });

  test('has no picture that the report does not give', () => {
    const drawn = readdirSync(fromRoot('docs/images/performance')).map((name) => `docs/images/performance/${name}`);
    expect(drawn.filter((path) => !files.has(path))).toEqual([]);
  });

  test('is made from a full run: every bench in five rounds or more, and each gave figures', () => {
    expect(report.short).toBe(false);
    expect(report.rounds).toBeGreaterThanOrEqual(FULL_ROUNDS);
    const figures = Object.entries(report.benches).filter(([, { measurements }]) => measurements.length > 0);
    expect(figures.map(([name]) => name)).toEqual(BENCHES.map(({ name }) => name));
  });

  test.each([
    ['overhead.batched.handWritten.cpu', 'most', 0.5],
    ['overhead.batched.byHand.cpu', 'most', 1.25],
    ['overhead.batchingOff.cpu', 'most', 1.2],
    ['overhead.batched.requests', 'most', 0.4],
    ['cost.plainInBatches', 'most', 3],
    ['cost.historyInBatches', 'most', 4],
    ['peers.nightcrew.workerCpu', 'most', 0.5],
    ['peers.pg-boss.rate', 'least', 0.7],
    ['peers.pg-boss.enqueueRate', 'least', 0.3],
    ['latency.recorded.median', 'most', 1.1],
    ['latency.recorded.p99', 'most', 1.3],
    ['cold-start.executor.initOverLean', 'most', 1.2],
  ])('judges %s: at %s %d', (id, at, value) => {
    const shown = [...measurementsOf(report), ...Object.values(AWAITED).flat()];
    expect(shown.find((one) => one.id === id)?.target).toEqual({ at, value });
  });

  test('gives a reason for each missed target', () => expect(reasonProblems(report, REASONS)).toEqual([]));
});
