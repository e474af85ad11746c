import { InvalidInputError } from '../../../job/errors.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import type { ScheduleDefinition } from '../model/definition.ts';

/** Refuses a schedule whose worker the deployment does not have: nothing would run its jobs. */
export function checkWorker({ deployment }: Pick<OperatorDeps, 'deployment'>, { worker }: ScheduleDefinition): void {
  if (deployment.workers.has(worker)) return;
  const known = [...deployment.workers.keys()].join(', ');
  throw new InvalidInputError('worker', worker, `This deployment has: ${known}. Add the worker to the JobExecutor, or fix the job type.`);
}
