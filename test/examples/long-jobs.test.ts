import { expect, test } from 'vitest';
import { runImport } from '../../examples/long-jobs/import.ts';

test('a job that needs three invocations makes room twice, at the cost of no attempt, and its result can be waited for', async () => {
  expect(await runImport(350)).toEqual([
    'run 1 of attempt 1 begins at row 0',
    'seen from outside: {"percent":28,"text":"row 99"}',
    'run 2 of attempt 1 begins at row 143',
    'seen from outside: {"percent":56,"text":"row 199"}',
    'run 3 of attempt 1 begins at row 286',
    'seen from outside: {"percent":85,"text":"row 299"}',
    '350 rows, sum 61075',
    'attempts: 1',
    'two hours later: no-result',
  ]);
});
