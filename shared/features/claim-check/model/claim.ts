import { isJobId, type JobId } from '../../../job/job-id.ts';
import type { PayloadRef } from '../../../ports/payload-store.ts';

/** What a row keeps of a payload that is in a store. */
export interface Claim extends PayloadRef {
  /** Of the text that was stored. */
  readonly bytes: number;
  readonly sha256: string;
}

/** Of a row whose payload, or the state of its handler, is no claim: the text follows. No JSON begins with it. */
const INLINE = '=';

/** A text that a row with a claim's codec keeps itself. */
export const inlineText = (text: string): string => INLINE + text;

/** What a row with a claim's codec keeps: a text, or the claim for one. Undefined for what is neither. */
export function readClaim(stored: string): Claim | string | undefined {
  if (stored.startsWith(INLINE)) return stored.slice(INLINE.length);
  try {
    const claim = JSON.parse(stored) as Partial<Claim> | null;
    const { key, version, bytes, sha256 } = claim ?? {};
    const complete = typeof key === 'string' && typeof version === 'string' && typeof bytes === 'number' && typeof sha256 === 'string';
    return complete ? { key, version, bytes, sha256 } : undefined;
  } catch {
    return undefined;
  }
}

/** Where the payload of a job is that is not in its row, for people. */
export function claimOf({
  payload,
  codec,
}: {
  readonly payload?: string;
  readonly codec?: string;
}): Pick<Claim, 'key' | 'bytes'> | undefined {
  const read = payload === undefined || codec === undefined ? undefined : readClaim(payload);
  return typeof read === 'object' ? { key: read.key, bytes: read.bytes } : undefined;
}

/** The job to whose row a key belongs; undefined for a key that is not of a payload store. */
export function jobOfKey(key: string): JobId | undefined {
  const [id, rest, ...more] = key.split('/');
  return isJobId(id) && rest !== undefined && rest !== '' && more.length === 0 ? id : undefined;
}
