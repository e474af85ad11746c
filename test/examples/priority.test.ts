import { expect, test } from 'vitest';
import { runTriage } from '../../examples/priority/triage.ts';

test('an operator hurries a type, one job and a tenant, each with the priority that goes before the others', async () => {
  expect(await runTriage()).toEqual([
    'ticket 2 (30)',
    'ticket 1 (0)',
    'report that was there (20)',
    'report (20)',
    '---',
    "acme's report (2)",
    "somebody's ticket (0)",
    "acme's ticket, no hurry (-1)",
    "acme's ticket (12)",
  ]);
});
