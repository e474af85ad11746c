import { iso } from '../core/instant.ts';
import type { Scalar } from '../core/job.ts';
import type { Tables } from '../ports/tables.ts';
import { heartbeatKey } from './control-rows.ts';

/** Writes when somebody last ran and what it did; `doctor` and the console show it. One write, the last one wins. */
export async function beat(tables: Tables, who: string, now: number, report: Readonly<Record<string, Scalar>>): Promise<void> {
  await tables.write({ op: 'put', table: 'control', row: { ...heartbeatKey(who), at: iso(now), ...report } });
}
