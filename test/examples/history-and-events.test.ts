import { expect, test } from 'vitest';
import { runReports } from '../../examples/history-and-events/render-reports.ts';

test('a report tells its attempts, its events and its sessions, and an operator switches events off', async () => {
  expect(await runReports()).toEqual([
    'session of attempt 1: 4 entries, retried',
    'session of attempt 2: 4 entries, completed',
    'completed at 00:05:00 after 2 attempts',
    'attempt 1 at 00:00:00: retried, the data is not there yet, 1 lines',
    'attempt 2 at 00:05:00: completed, no error, 2 lines',
    'finished reports of acme: 1',
    'failed attempts: true, the data is not there yet',
    'events: enqueued 00:00:00, started 00:00:00, retried 00:00:00, started 00:05:00, completed 00:05:00',
    'heard: enqueued, started, retried, started, completed',
    'session of attempt 1: 4 entries, completed',
    'events after switching off: 0',
  ]);
});
