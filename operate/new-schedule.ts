import { EMPTY_PAYLOAD, type ScheduleDefinition } from '../shared/features/schedules/model/definition.ts';
import { editedDefinition, type ScheduleEdit } from '../shared/features/schedules/model/edit.ts';
import { InvalidInputError } from '../shared/job/errors.ts';
import type { Admin } from './admin.ts';

/** What an operator gives for a new schedule. `worker` is by default the one that reports the type. */
export interface NewSchedule {
  readonly name: string;
  readonly type: string;
  readonly worker: string | undefined;
  readonly schemaVersion: number | undefined;
  /** Everything else; what is left out has its default. */
  readonly fields: ScheduleEdit;
}

/** The definition of a new schedule, for `schedules.put`. Throws InvalidInputError, also if several workers have its type, or none. */
export async function newSchedule(admin: Pick<Admin, 'types'>, given: NewSchedule): Promise<ScheduleDefinition> {
  const { name, type, schemaVersion = 1, fields } = given;
  const worker = given.worker ?? (await workerOf(admin, type));
  // In the order of `defineSchedule`, which is part of its hash.
  const job = { name, type, worker, schemaVersion, payload: EMPTY_PAYLOAD };
  return editedDefinition({ ...job, recurrence: {}, missed: 'coalesce', overlap: 'allow', jitterMs: 0 }, fields);
}

/** The worker that has a handler for a type, by the reports of workers. */
async function workerOf(admin: Pick<Admin, 'types'>, name: string): Promise<string> {
  const { types } = await admin.types();
  const workers = types.find(({ type }) => type === name)?.workers.filter(({ current }) => current) ?? [];
  const [only, ...others] = new Set(workers.map(({ worker }) => worker));
  if (only === undefined)
    throw new InvalidInputError('type', name, 'No worker has reported this type lately. Name its worker, or deploy it first.');
  if (others.length > 0)
    throw new InvalidInputError('worker', undefined, `Several have the type: ${[only, ...others].join(', ')}. Name one.`);
  return only;
}
