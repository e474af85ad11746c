import * as z from 'zod/mini';
import { createTestKit } from '../../testing/index.ts';
import { defineJob, defineSchedule } from '../../shared/index.ts';

/** Closes the ledger of an hour. Each one builds on the hour before. */
const closeHour = defineJob('ledger.close-hour', { payload: z.object({}), retry: 'R3/PT2H30M' });

/** On working days, in the order of the hours, whatever fails meanwhile. */
const everyHour = defineSchedule('ledger', {
  job: closeHour,
  payload: {},
  cron: '0 9-17 * * *',
  zone: 'Europe/Berlin',
  overlap: 'queue',
  missed: 'all',
  exclude: ['SAT', 'SUN', '05-01'],
});

/** Runs the Thursday and the Friday around a public holiday, of which the first hour fails once, and closes the hours of the day before the schedule was made. */
export async function runLedger(): Promise<readonly string[]> {
  const story: string[] = [];
  const hour = (at: Date | undefined): string => at?.toISOString().slice(0, 16) ?? 'never';
  const kit = createTestKit(
    [
      closeHour.handle(({ job }) => {
        const failed = hour(job.nominalAt).startsWith('2026-04-30T07') && job.failures === 0;
        story.push(`${failed ? 'fails' : 'closed'} ${hour(job.nominalAt)}`);
        if (failed) throw new Error('The ledger is locked.');
      }),
    ],
    // A Wednesday evening; the first of May is a Friday.
    { now: '2026-04-29T20:00:00Z' },
  );
  const { schedules } = kit.admin;
  await schedules.put(everyHour);

  // 09:00 fails and is tried again at 11:30. 10:00 and 11:00 wait for it, and run in their order.
  await kit.advance('PT14H');
  story.push(`next: ${hour((await schedules.get('ledger'))?.next?.at)}`);

  // The hours of Wednesday, from before there was a schedule. First a dry run.
  const wednesday = { from: '2026-04-29T13:00:00Z', to: '2026-04-29T23:00:00Z' };
  story.push(`backfill: ${(await schedules.backfill('ledger', wednesday))?.count} hours`);
  await schedules.backfill('ledger', { ...wednesday, apply: true, reason: 'new ledger' });
  await kit.drain();

  // From now on once a day, and not on Christmas Eve either.
  await schedules.edit('ledger', { cron: '0 17 * * *', exclude: ['SAT', 'SUN', '05-01', '12-24'] });
  await kit.advance('P1D');
  story.push(`next: ${hour((await schedules.get('ledger'))?.next?.at)}`);
  story.push(`deleted: ${await schedules.delete('ledger')}`);
  return story;
}
