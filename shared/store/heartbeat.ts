import { iso } from '../job/instant.ts';
import type { Scalar } from '../job/job.ts';
import type { Tables } from '../ports/tables.ts';
import { heartbeatKey } from './control-rows.ts';

const KEPT_MS = 30 * 86_400_000;

/** Writes when a function last ran and its report; shown by `doctor` and the console. One write, the last one wins. */
export async function writeHeartbeat(tables: Tables, who: string, now: number, report: Readonly<Record<string, Scalar>>): Promise<void> {
  const expiresAt = Math.ceil((now + KEPT_MS) / 1000);
  await tables.write({ op: 'put', table: 'control', row: { ...heartbeatKey(who), at: iso(now), ...report, expiresAt } });
}
