import { storedInstant } from '../../../job/instant.ts';
import { isJobId, type JobId } from '../../../job/job-id.ts';
import type { RowKey, Tables } from '../../../ports/tables.ts';
import { keyOfJob } from '../../../store/conditions.ts';
import { scheduleLine, scheduleLineKey } from './schedule-rows.ts';

/** TTL removes a place that is not seen again. */
const PLACE_DAYS = 40;
/** Places before an occurrence that one look goes through; more than a few are there only if their jobs are. */
const LOOKED_AT = 20;

/** An occurrence that waits for the turn of its schedule. */
export interface InLine {
  readonly id: JobId;
  readonly nominalAt: number;
}

/** Where an occurrence stands in the line. */
export interface Standing {
  /** When the first occurrence before it is due. Absent: it is the next one. */
  readonly firstDueAt?: number;
  /** Whether it has its place already. */
  readonly hasPlace: boolean;
}

/**
 * Who waits in line before an occurrence: one query, and a read for each place until one whose job is in Jobs. The places of others are removed: they
 * have ended, or operators suspended or postponed them, and they come back by themselves when they look again.
 */
export async function lookAhead(tables: Tables, name: string, { id, nominalAt }: InLine): Promise<Standing> {
  const { rows } = await tables.query({ table: 'control', ...scheduleLine(name, nominalAt), limit: LOOKED_AT, consistent: true });
  const hasPlace = rows.some((row) => row['jobId'] === id);
  for (const { pk, sk, jobId } of rows) {
    if (jobId === id) continue;
    const job = isJobId(jobId) ? await tables.get('jobs', { id: jobId }) : undefined;
    if (job !== undefined) return { firstDueAt: storedInstant(job['dueAt']) ?? 0, hasPlace };
    await leave(tables, { pk: String(pk), sk: String(sk) }, String(jobId));
  }
  return { hasPlace };
}

/** Takes the place of an occurrence in the line. */
export async function joinLine(tables: Tables, name: string, { id, nominalAt }: InLine, now: number): Promise<void> {
  const row = { ...scheduleLineKey(name, nominalAt), jobId: id, expiresAt: Math.ceil(now / 1000) + PLACE_DAYS * 86_400 };
  await tables.write({ op: 'put', table: 'control', row });
}

/** Gives the place up, for an occurrence that has the turn. One that is left behind counts for nothing when its job has ended. */
export async function leaveLine(tables: Tables, name: string, { id, nominalAt }: InLine): Promise<void> {
  await leave(tables, scheduleLineKey(name, nominalAt), id);
}

async function leave(tables: Tables, key: RowKey, jobId: string): Promise<void> {
  await tables.write({ op: 'delete', table: 'control', key, condition: keyOfJob(jobId) });
}
