import { deathOf } from '../model/error-group.ts';
import type { LeasedJob } from '../../../core/job.ts';
import { bury, type Burial, type Buried } from '../../../store/bury.ts';
import { type GroupDeps, inItsGroup } from './error-groups.ts';

/** Buries a job after its error group was told, so that no dead letter lies there that no group leads to. */
export async function buryInGroup(deps: GroupDeps, job: LeasedJob, burial: Burial): Promise<Buried> {
  const death = deathOf(job.id, job.type, burial.error);
  const attempt = `${job.id}/${job.lockOwner}`;
  return inItsGroup(
    deps,
    { death, attempt },
    () => bury(deps.tables, job, burial),
    ({ result }) => result === 'dead',
  );
}
