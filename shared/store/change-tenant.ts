import { defined } from '../core/defined.ts';
import { iso } from '../core/instant.ts';
import { isOccurrence, type Job, type LeasedJob } from '../core/job.ts';
import { keyToCancel } from '../core/unique-key.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { resumeWrites, type ResumeTerms } from './activate.ts';
import type { PlannedChange } from './change-located.ts';
import { keyOfJob } from './conditions.ts';
import { uniqueKeyKey } from './control-rows.ts';
import { putKeyOf } from './create.ts';
import { edited, editWrites, isQuarantined } from './edit-job.ts';
import type { Located } from './locate.ts';
import { withoutSuspension } from './suspend.ts';

/**
 * What became of a move to another tenant. `key-taken`: a job of that tenant holds the unique key. `occurrence`: it waits for its
 * schedule, which says whose its jobs are. `in-batch`: its batch belongs to a tenant as a whole. `unreadable`: a dead letter that holds a damaged row.
 */
export type TenantChanged = 'changed' | 'key-taken' | 'unreadable' | 'running' | 'finished' | 'occurrence' | 'in-batch';

type Answer = PlannedChange<{ readonly outcome: TenantChanged; readonly job?: LeasedJob }>;

const leave = (outcome: TenantChanged): Answer => ({ writes: [], answer: { outcome } });

/**
 * Moves a job that does not run to another tenant, or to none, and its unique key with it: two reads more for a job with a key. One
 * that lay in Suspended because of its old tenant goes on; the executor stops it again if the new one is suspended.
 */
export async function planTenant(tables: Tables, found: Located, tenant: string | undefined, terms: ResumeTerms): Promise<Answer> {
  const { state, job } = found;
  if (state === 'running' || state === 'finished') return leave(state);
  if (isQuarantined(found)) return leave('unreadable');
  if (job.tenant === tenant) return leave('changed');
  if (job.batch !== undefined || job.callbackOf !== undefined) return leave('in-batch');
  if (state === 'waiting' && isOccurrence(job)) return leave('occurrence');
  const keys = await keyWrites(tables, found, edited<Job>(job, { tenant }), terms.now);
  if (keys === 'taken') return leave('key-taken');
  if (state === 'suspended' && job.cause.startsWith('tenant#')) {
    const { writes, went } = resumeWrites(job, terms, edited(withoutSuspension(job), { tenant }));
    return { writes: [...writes, ...keys], answer: { outcome: 'changed', ...(went.result === 'ready' ? { job: went.job } : {}) } };
  }
  const made = editWrites(found, { tenant }, terms);
  return { writes: [...made.writes, ...keys], answer: { outcome: 'changed', ...defined({ job: made.job }) } };
}

/** A dead letter holds no key, unless for a stated time: redrive takes it again, by then that of the new tenant. */
async function keyWrites(tables: Tables, { state, job }: Located, moved: Job, now: number): Promise<readonly Write[] | 'taken'> {
  const [from, to] = [keyToCancel(job), keyToCancel(moved)];
  if (from === undefined || to === undefined || from === to) return [];
  const held = await tables.get('control', uniqueKeyKey(from));
  const mine = held?.['jobId'] === job.id;
  const release: Write[] = mine ? [{ op: 'delete', table: 'control', key: uniqueKeyKey(from), condition: keyOfJob(job.id) }] : [];
  const lasting = job.keyExpiresAt === undefined ? state !== 'dead' : job.keyExpiresAt > now && (mine || state !== 'dead');
  const put = lasting ? putKeyOf(moved, now, job.id) : undefined;
  if (put === undefined) return release;
  const other = await tables.get('control', uniqueKeyKey(to));
  const free = other === undefined || other['jobId'] === job.id || (other['until'] !== undefined && String(other['until']) <= iso(now));
  return free ? [...release, put] : 'taken';
}
