import { expect, test } from 'vitest';
import { type Meeting, parsePair } from './meetings.ts';
import { knownOrders } from './report.ts';
import { OrderGoneError, runText } from './walk-pair.ts';

const MEETING = { ...(parsePair('cancel x execute @ ready/plain/plain/outcome') as Meeting), faults: [] };

test('each order that is kept is played as it was kept, and breaks no rule', async () => {
  expect(await knownOrders(() => {})).toEqual([]);
});

test('an order names its moves, and one that is not possible where it stands is refused with what is', async () => {
  const { answers } = await runText(MEETING, 'B1.write-jobs B2.query-control');
  expect(answers['B']).toBeDefined();
  await expect(runText(MEETING, 'B1.write-jobs B2.write-timers')).rejects.toThrow(
    /wants B2\.write-timers at choice 2, but possible are .*B2\.query-control/,
  );
  await expect(runText({ ...MEETING, faults: [{ actor: 'B', at: 2, kind: 'write-timers', fault: 'lost-reply' }] }, '')).rejects.toThrow(
    OrderGoneError,
  );
});
