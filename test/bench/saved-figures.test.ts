import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BENCHES } from '../../bench/benches.ts';
import type { BenchReport } from '../../bench/frame/report.ts';
import { undeclaredFigures } from '../../bench/frame/undeclared-figures.ts';
import type { RunFigures } from '../../bench/scale/figures.ts';
import { AWAITED } from '../../bench/page/awaited.ts';
import { compared } from '../../bench/scale/measure-scale.ts';
import { OWN_FIGURES } from '../../bench/scale/own-figures.ts';
import { scaleMeasurements } from '../../bench/scale/scale-measurements.ts';
import { SCENARIOS } from '../../bench/scale/scenarios/scenarios.ts';
import { fromRoot } from '../architecture/source-files.ts';
import { RUN } from './scale-run.ts';

const { benches } = JSON.parse(readFileSync(fromRoot('bench/results/performance.json'), 'utf8')) as BenchReport;

describe('bench/results/performance.json', () => {
  test('has each bench, and no other: npm run bench -- --save writes it anew', () => {
    expect(Object.keys(benches).toSorted()).toEqual(BENCHES.map(({ name }) => name).toSorted());
  });

  test.each(BENCHES.filter(({ figures }) => figures !== undefined).map((bench) => [bench.name, bench] as const))(
    'has the figures that %s declares, and no others: npm run bench -- --save writes it anew',
    (name, bench) => {
      const saved = benches[name]?.measurements.map(({ id }) => id) ?? [];
      // A figure that is new comes with the next run.
      const awaited = (AWAITED[name] ?? []).map(({ id }) => id).filter((id) => !saved.includes(id));
      expect(undeclaredFigures(bench, [...saved, ...awaited])).toEqual([]);
    },
  );

  test('has the figures that every scenario of scale has, and no others than its own: npm run bench -- --save writes it anew', () => {
    const ids = (own: RunFigures['own']): readonly string[] =>
      scaleMeasurements({ scenarios: SCENARIOS.map((scenario) => compared(scenario, 'full', RUN, { ...RUN, own })) }).map(({ id }) => id);
    const saved = benches['scale']?.measurements.map(({ id }) => id) ?? [];
    expect(ids({}).filter((id) => !saved.includes(id))).toEqual([]);
    const possible = new Set(ids(Object.fromEntries(Object.keys(OWN_FIGURES).map((name) => [name, 1]))));
    expect(saved.filter((id) => !possible.has(id))).toEqual([]);
  });
});

test('a figure that is declared and missing is told, and one that is not declared', () => {
  expect(undeclaredFigures({ name: 'cost', figures: ['cost.a', 'cost.b'] }, ['cost.b', 'cost.c'])).toEqual([
    'cost.a is declared by the bench cost, and missing here.',
    'cost.c is here, and not declared by the bench cost.',
  ]);
  expect(undeclaredFigures({ name: 'scale' }, ['scale.a'])).toEqual([]);
});
