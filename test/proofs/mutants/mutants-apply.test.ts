import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { expect, test } from 'vitest';
import { fromRoot } from '../../architecture/source-files.ts';
import { MUTANTS } from './all-mutants.ts';
import { fileOf, mutated } from './mutant.ts';

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
