import * as z from 'zod/mini';
import { defineJob } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

export const scanTicket = defineJob('ticket.scan', { payload: z.object({ name: z.string() }) });
export const buildReport = defineJob('report.build', { payload: z.object({ name: z.string() }), priority: 2 });

/** The lanes of the worker: jobs with a priority of 10 or more do not wait for others. */
const LANES = { urgent: { from: 10 }, default: { to: 9 } };

/**
 * An operator changes priorities while jobs wait. A rule applies when a waiting job is received, and moves it to its new lane:
 * here, where all jobs wait only a moment, behind those already there; in a long queue, past all waiting jobs.
 */
export async function runTriage(): Promise<readonly string[]> {
  const ran: string[] = [];
  const note = ({ payload, job }: { payload: { name: string }; job: { priority: number } }): void =>
    void ran.push(`${payload.name} (${job.priority})`);
  const kit = createTestKit([scanTicket.handle(note), buildReport.handle(note)], { workers: { default: { lanes: LANES } } });
  const { admin, client } = kit;

  // Reports are urgent today: new ones, and with `cascade` also those that wait.
  await client.enqueue(scanTicket, { name: 'ticket 1' });
  await client.enqueue(buildReport, { name: 'report that was there' });
  await kit.clock.advance(1);
  await admin.overridePriority({ type: 'report.build' }, 20, { cascade: true, reason: 'quarter ends' });
  await client.enqueue(buildReport, { name: 'report' });
  // One ticket goes before all of them: an operator's priority for a single job ranks highest.
  const { id } = await client.enqueue(scanTicket, { name: 'ticket 2' });
  await admin.setPriority(id, 30);
  await kit.drain();

  ran.push('---');
  // A tenant's default: for jobs without another priority.
  await admin.clearPriority({ type: 'report.build' });
  await admin.overridePriority({ tenant: 'acme' }, 12, { default: true });
  await kit.clock.advance(1);
  await client.enqueue(scanTicket, { name: "somebody's ticket" });
  await client.enqueue(scanTicket, { name: "acme's ticket" }, { tenant: 'acme' });
  await client.enqueue(scanTicket, { name: "acme's ticket, no hurry" }, { tenant: 'acme', priority: -1 });
  await client.enqueue(buildReport, { name: "acme's report" }, { tenant: 'acme' });
  await kit.drain();
  return ran;
}
