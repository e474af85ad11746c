import { expect, test } from 'vitest';
import { NO_RULES } from '../../shared/features/rules/model/rules.ts';
import { unknownRules } from '../../shared/features/rules/model/unknown-rules.ts';
import { sourceFiles } from './source-files.ts';

/** Kinds with a key that is computed. */
const COMPUTED: Readonly<Record<string, string>> = { 'limitSort(limit)': 'limit#relay' };

test('whatever a feature keeps among the rules is no rule of a later version', () => {
  const keys = sourceFiles()
    .filter(({ path }) => /^(shared|functions|operate|testing)\//.test(path))
    .flatMap(({ text }) => [...text.matchAll(/pk: (?:'rules'|RULES), sk: ([^}]+?) }/g)].map(([, key = '']) => key))
    .filter((key) => !key.startsWith('`'));
  expect(keys.length).toBeGreaterThan(3);
  const sorts = keys.map((key) => COMPUTED[key] ?? key.replaceAll("'", ''));
  expect(unknownRules({ ...NO_RULES, others: new Map(sorts.map((sort) => [sort, {}])) })).toEqual([]);
});
