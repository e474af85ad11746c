import { expect, test } from 'vitest';
import { runExports } from '../../examples/cancellation/exports.ts';

test('exports are cancelled by id, by key and by tenant, and the loser of a race is told', async () => {
  expect(await runExports()).toEqual([
    'anna: chapter 1',
    'anna: stopped in chapter 2, files removed (asked by phone, support)',
    'anna: cancelled',
    'bert: chapter 1',
    'bert: completed',
    'carl: cancelled',
    'acme: 3 found, 3 cancelled, 0 left',
  ]);
});
