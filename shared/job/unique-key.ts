import { joinParts, sha256 } from './hash.ts';
import type { Job } from './job.ts';

/** What a unique key is unique in: type + tenant + key. An empty tenant is none. */
export function uniqueKeyHash(type: string, tenant: string | undefined, key: string): string {
  return sha256(joinParts([type, tenant ?? '', key]));
}

/** The key row that ends with this job, or undefined: a key for a stated time outlives its job. */
export function keyToRelease(job: Pick<Job, 'type' | 'tenant' | 'key' | 'keyExpiresAt'>): string | undefined {
  return job.key === undefined || job.keyExpiresAt !== undefined ? undefined : uniqueKeyHash(job.type, job.tenant, job.key);
}

/** The key row that goes when the job is cancelled: also one for a stated time, since the work was not done. */
export function keyToCancel(job: Pick<Job, 'type' | 'tenant' | 'key'>): string | undefined {
  return job.key === undefined ? undefined : uniqueKeyHash(job.type, job.tenant, job.key);
}
