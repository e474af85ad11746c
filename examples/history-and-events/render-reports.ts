import * as z from 'zod/mini';
import { defineJob, type JobEvent } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

/** Its attempts are kept with their log lines; for all other types History keeps only how jobs ended. */
export const renderReport = defineJob('report.render', {
  payload: z.object({ report: z.string() }),
  retry: 'R3/PT5M',
  history: 'full',
});

const time = (at: Date | number): string => new Date(at).toISOString().slice(11, 19);

/** Renders a report whose data comes late, then shows what happened: the job's history, the event log, and a listener. */
export async function runReports(): Promise<readonly string[]> {
  const story: string[] = [];
  const heard: JobEvent[] = [];
  let late = 1;
  const kit = createTestKit(
    [
      renderReport.handle(({ payload, log }) => {
        log.info('rendering', { report: payload.report });
        if (late-- > 0) throw new Error('the data is not there yet');
        log.info('rendered', { pages: 3 });
      }),
    ],
    {
      eventLog: true,
      onEvent: (event) => heard.push(event),
      onSession: ({ job, outcome, entries }) => story.push(`session of attempt ${job.attempt}: ${entries.length} entries, ${outcome}`),
    },
  );
  const { id } = await kit.client.enqueue(renderReport, { report: 'march' }, { tenant: 'acme' });
  await kit.drain();
  await kit.advance('PT5M');

  const { finished, attempts } = await kit.client.history(id);
  story.push(`${finished?.outcome} at ${time(finished?.finishedAt ?? 0)} after ${finished?.attempts} attempts`);
  for (const { attempt, outcome, startedAt, error, log = [] } of attempts) {
    story.push(`attempt ${attempt} at ${time(startedAt)}: ${outcome}, ${error?.message ?? 'no error'}, ${log.length} lines`);
  }
  const { jobs } = await kit.admin.history({ type: 'report.render', tenant: 'acme', limit: 10 });
  story.push(`finished reports of acme: ${jobs.length}`);

  const failed = await kit.admin.attempts({ type: 'report.render', hasError: true, order: 'slowest-first' });
  story.push(`failed attempts: ${failed.attempts.map(({ jobId, error }) => `${jobId === id}, ${error?.message}`).join()}`);

  // A reader that runs now and then: each event once, in order, from where it stopped.
  await kit.advance('PT1M');
  const first = await kit.admin.events({ limit: 3 });
  const rest = await kit.admin.events({ after: first.after });
  story.push(`events: ${[...first.events, ...rest.events].map(({ event, at }) => `${event} ${time(at)}`).join(', ')}`);
  story.push(`heard: ${heard.map(({ event }) => event).join(', ')}`);

  // Switched off by an operator while everything runs.
  await kit.admin.switchEvents({ log: false });
  await kit.clock.advance(5_000);
  await kit.client.enqueue(renderReport, { report: 'april' });
  await kit.advance('PT1M');
  story.push(`events after switching off: ${(await kit.admin.events({ after: rest.after })).events.length}`);
  return story;
}
