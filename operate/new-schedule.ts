import type { ScheduleDefinition } from '../shared/features/schedules/model/definition.ts';
import { defined } from '../shared/job/defined.ts';
import { InvalidInputError } from '../shared/job/errors.ts';
import { encodePayload } from '../shared/job/payload.ts';
import type { Admin } from './admin.ts';

/** The fields that an operator gives for a new schedule. What is left out has its default; `worker` is the one that reports the type. */
export interface NewSchedule {
  readonly name: string;
  readonly type: string;
  readonly worker?: string | undefined;
  readonly cron?: string | undefined;
  readonly every?: string | undefined;
  readonly zone?: string | undefined;
  readonly until?: string | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly missed?: string | undefined;
  readonly overlap?: string | undefined;
  readonly maxRuns?: number | undefined;
  readonly tenant?: string | undefined;
  readonly payload?: unknown;
  readonly schemaVersion?: number | undefined;
}

/** The definition of a new schedule, for `schedules.put`, which checks all of it. Throws InvalidInputError if several workers have its type, or none. */
export async function newSchedule(admin: Pick<Admin, 'types'>, fields: NewSchedule): Promise<ScheduleDefinition> {
  const { name, type, cron, every, zone, until, exclude = [], maxRuns, tenant } = fields;
  const worker = fields.worker ?? (await workerOf(admin, type));
  return {
    name,
    type,
    worker,
    schemaVersion: fields.schemaVersion ?? 1,
    payload: encodePayload(fields.payload ?? {}),
    recurrence: { ...defined({ cron, every, zone, until }), ...(exclude.length === 0 ? {} : { exclude }) },
    missed: fields.missed ?? 'coalesce',
    overlap: fields.overlap ?? 'allow',
    jitterMs: 0,
    ...defined({ maxRuns, tenant }),
  } as ScheduleDefinition;
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
