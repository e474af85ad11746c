import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { expect, test } from 'vitest';
import { fromRoot } from '../../architecture/source-files.ts';
import { MUTANTS } from './all-mutants.ts';
import { flowOf } from './flows.ts';
import { hunt } from './hunt.ts';
import { fileOf, type Mutant, mutated } from './mutant.ts';
import { lineOf, survivorLines } from './table.ts';

// Among the fast tests, so that whoever changes a source learns at once that a mutant no longer fits it.

test('each mutant changes one text that its symbol contains exactly once', () => {
  for (const mutant of MUTANTS) expect(() => fileOf(mutant), mutant.name).not.toThrow();
});

test('each mutant leaves a source that still parses: one that cannot be loaded would be caught by nothing', () => {
  for (const mutant of MUTANTS) {
    const source = readFileSync(fromRoot(fileOf(mutant)), 'utf8');
    expect(() => stripTypeScriptTypes(mutated(source, mutant)), mutant.name).not.toThrow();
  }
});

test('each mutant has a name of its own, a rule that it breaks, and a flow or seed that exists: fix its entry in test/proofs/mutants/list', () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  for (const { name, rules, flow, seed } of MUTANTS) {
    expect(rules.length, name).toBeGreaterThan(0);
    if (flow !== undefined) expect(() => flowOf(flow), name).not.toThrow();
    if (seed !== undefined) expect(Number.isInteger(seed) && seed >= 1 && seed < 2 ** 31, `${name}: seed ${seed}`).toBe(true);
  }
});

test('a mutant whose text is gone or stands twice is told as not hunted, and does not end the hunt of the others', async () => {
  const fence = MUTANTS.find(({ name }) => name === 'noFence') as Mutant;
  for (const find of ['a text that is not there', 'tables']) {
    const quarry = await hunt({ ...fence, find }, { from: 1, seeds: 1, catches: 1, sample: 1 });
    expect(quarry).toMatchObject({ caught: false, seeds: 0 });
    expect(quarry.problem).toContain('exactly once');
    expect(lineOf(quarry)).toContain('NOT HUNTED');
    expect(survivorLines(quarry)).toContain('npm run mutants -- --mutant noFence');
  }
});
