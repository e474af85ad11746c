import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { Rig } from './rig.ts';
import { ON_DYNAMO } from './rig-tables.ts';
import { strewJobs, type StrewnJob } from './strewn-jobs.ts';

/** A page that takes several to list them; a request costs milliseconds on DynamoDB's own conditions. */
export const SMALL_PAGE = ON_DYNAMO ? 9 : 4;

/** Jobs in every state, all different, and an admin who reads them. */
export async function strewnStage(): Promise<{ readonly rig: Rig; readonly admin: Admin; readonly jobs: readonly StrewnJob[] }> {
  const rig = new Rig();
  return { rig, admin: createAdminOver(rig.deps), jobs: await strewJobs(rig.tables, rig.clock.now(), ON_DYNAMO ? 105 : 147) };
}
