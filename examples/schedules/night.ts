import { createTestKit } from '../../testing/index.ts';
import { dailyReport, everyNight, everyTwentyMinutes, fetchRates } from './jobs.ts';

/** Simulates the night in which daylight saving time ends, in milliseconds, and returns what ran. */
export async function runNight(): Promise<readonly string[]> {
  const story: string[] = [];
  const minute = (at: Date | undefined): string => at?.toISOString().slice(0, 16) ?? 'never';
  const kit = createTestKit(
    [
      // The nominal time of a run, however late it runs.
      dailyReport.handle(({ payload, job }) => void story.push(`report for ${payload.shop} of ${minute(job.nominalAt)}`)),
      fetchRates.handle(() => undefined),
    ],
    { now: '2026-10-24T12:00:00Z' },
  );
  const { schedules } = kit.admin;
  // In a deployment the construct does this: see stack.ts.
  for (const definition of [everyNight, everyTwentyMinutes]) await schedules.put(definition);

  for (const { at, wall } of (await schedules.preview('daily-report', { count: 2 })) ?? [])
    story.push(`preview ${minute(at)}, ${wall} in Berlin`);
  await kit.advance('P1D');
  story.push(`rates: ${(await schedules.get('rates'))?.runs} runs`);

  // Paused over two nights: the missed policy of the report, coalesce, makes one run of them.
  await schedules.pause('daily-report', { reason: 'audit', actor: 'ann' });
  await kit.advance('P2D');
  story.push('resumed');
  await schedules.resume('daily-report');
  await kit.advance('PT10M');

  // Once more by hand; the sequence is not affected.
  await schedules.runNow('daily-report');
  await kit.drain();
  story.push(`next: ${minute((await schedules.get('daily-report'))?.next?.at)}`);
  return story;
}
