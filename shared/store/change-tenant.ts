import { defined } from '../job/defined.ts';
import { iso } from '../job/instant.ts';
import { isOccurrence, type Job, type LeasedJob } from '../job/job.ts';
import { keyToCancel } from '../job/unique-key.ts';
import type { Tables, Write } from '../ports/tables.ts';
import type { PlannedChange } from './change-located.ts';
import { releaseKey, uniqueKeyKey } from './control-rows.ts';
import { putKeyOf } from './create.ts';
import { type CodedEdit, edited, editWrites, isQuarantined } from './edit-job.ts';
import type { Located } from './locate.ts';
import { idleJob, movedWrites } from './moved-writes.ts';
import type { ResumeTerms } from './ready-row.ts';

/**
 * What became of a move to another tenant. `key-taken`: a job of that tenant holds the unique key. `occurrence`: it waits for its
 * schedule, which determines the tenant. `in-batch`: its batch belongs to another tenant. `unreadable`: a dead letter that holds a damaged row.
 * `encoded`: its payload is, and cannot be encoded for that tenant.
 */
export type TenantChanged = 'changed' | 'encoded' | 'key-taken' | 'unreadable' | 'running' | 'finished' | 'occurrence' | 'in-batch';

type Answer = PlannedChange<{ readonly outcome: TenantChanged; readonly job?: LeasedJob }>;

const leave = (outcome: TenantChanged): Answer => ({ writes: [], answer: { outcome } });

/** What a change of tenant or type needs to know of the session: how an encoded payload is stored for the job that it becomes. */
export interface RecodeTerms extends ResumeTerms {
  readonly recode: (job: Job, to: Job) => Promise<CodedEdit | 'encoded'>;
}

/** What a change of the tenant needs to know besides: the batch of a job, undefined when it is forgotten. */
export interface TenantTerms extends RecodeTerms {
  readonly batch: (id: string) => Promise<{ readonly tenant?: string } | undefined>;
}

/**
 * Moves a job that does not run to another tenant, or to none, and its unique key with it: two reads more for a job with a key, one for a job of a
 * batch. One that was suspended because of its old tenant is resumed; the executor stops it again if the new one is suspended.
 */
export async function planTenant(tables: Tables, found: Located, tenant: string | undefined, terms: TenantTerms): Promise<Answer> {
  const { state, job } = found;
  if (state === 'running' || state === 'finished') return leave(state);
  if (isQuarantined(found)) return leave('unreadable');
  if (job.tenant === tenant) return leave('changed');
  if (await isHeldByBatch(job, tenant, terms)) return leave('in-batch');
  if (state === 'waiting' && isOccurrence(job)) return leave('occurrence');
  const moved = edited<Job>(job, { tenant });
  const coded = await terms.recode(job, moved);
  if (coded === 'encoded') return leave('encoded');
  const change = { tenant, ...coded };
  const keys = await keyWrites(tables, found, moved, terms.now);
  if (keys === 'taken') return leave('key-taken');
  const resumed = state === 'suspended' && job.cause.startsWith('tenant#');
  const made = resumed ? movedWrites(found, edited(idleJob(found), change), terms) : editWrites(found, change, terms);
  return { writes: [...made.writes, ...keys], answer: { outcome: 'changed', ...defined({ job: made.ready }) } };
}

/** A job follows its batch to its tenant, and goes nowhere else while that is known. One read, of a job in a batch or of a callback. */
async function isHeldByBatch(job: Pick<Job, 'batch' | 'callbackOf'>, tenant: string | undefined, { batch }: TenantTerms): Promise<boolean> {
  const id = job.batch ?? job.callbackOf;
  const head = id === undefined ? undefined : await batch(id);
  return head !== undefined && head.tenant !== tenant;
}

/**
 * Moves the unique key of a job that gets another tenant or type. A dead letter holds no key, unless for a stated time: redrive takes it again,
 * then the new one.
 */
export async function keyWrites(tables: Tables, { state, job }: Located, moved: Job, now: number): Promise<readonly Write[] | 'taken'> {
  const [from, to] = [keyToCancel(job), keyToCancel(moved)];
  if (from === undefined || to === undefined || from === to) return [];
  const held = await tables.get('control', uniqueKeyKey(from));
  const mine = held?.['jobId'] === job.id;
  const release = mine ? [releaseKey(from, job.id)] : [];
  const lasting = job.keyExpiresAt === undefined ? state !== 'dead' : job.keyExpiresAt > now && (mine || state !== 'dead');
  const put = lasting ? putKeyOf(moved, now, job.id) : undefined;
  if (put === undefined) return release;
  const other = await tables.get('control', uniqueKeyKey(to));
  const free = other === undefined || other['jobId'] === job.id || (other['until'] !== undefined && String(other['until']) <= iso(now));
  return free ? [...release, put] : 'taken';
}
