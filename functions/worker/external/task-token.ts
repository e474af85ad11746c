import { defined } from '../../../shared/job/defined.ts';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import { isQueueOwner, type LockOwner } from '../../../shared/job/lock-owner.ts';

/** The content of a task token: the lease, its start, and the holder of the group lock. */
export interface TaskLock {
  readonly owner: LockOwner;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly groupOwner?: LockOwner;
}

const SEPARATOR = '~';

/** Encodes the token of a task. */
export function encodeTaskToken({ owner, since, groupOwner }: TaskLock): string {
  return [owner, since.toString(36), ...(groupOwner === undefined ? [] : [groupOwner])].join(SEPARATOR);
}

/** Decodes a token; throws InvalidInputError, which names `field`, if it is malformed. Whether its lock is still valid, only the row shows. */
export function decodeTaskToken(token: unknown, field = 'token'): TaskLock {
  const parts = typeof token === 'string' && token.length <= 200 ? token.split(SEPARATOR) : [];
  const [owner, since = '', groupOwner] = parts;
  const at = Number.parseInt(since, 36);
  if (owner === undefined || parts.length > 3 || !/^(run|alone)\/.+$/.test(owner) || isQueueOwner(owner) || !Number.isSafeInteger(at)) {
    throw new InvalidInputError(field, token, `Give the ${field} that fetchAndLock gave with the task.`);
  }
  return { owner, since: at, ...defined({ groupOwner }) };
}
