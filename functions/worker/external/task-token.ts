import { defined } from '../../../shared/core/defined.ts';
import { InvalidInputError } from '../../../shared/core/errors.ts';
import { isQueueOwner, type LockOwner } from '../../../shared/core/lock-owner.ts';

/** What the token of a task says: whose lease, since when, and who holds the lock of its group. */
export interface TaskLock {
  readonly owner: LockOwner;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly groupOwner?: LockOwner;
}

const SEPARATOR = '~';

/** The token of a task, as its worker carries it around. */
export function encodeTaskToken({ owner, since, groupOwner }: TaskLock): string {
  return [owner, since.toString(36), ...(groupOwner === undefined ? [] : [groupOwner])].join(SEPARATOR);
}

/** Reads a token back; throws InvalidInputError for a text that is none. That it names a lock which still holds, only the row says. */
export function decodeTaskToken(token: unknown): TaskLock {
  const parts = typeof token === 'string' && token.length <= 200 ? token.split(SEPARATOR) : [];
  const [owner, since = '', groupOwner] = parts;
  const at = Number.parseInt(since, 36);
  if (owner === undefined || parts.length > 3 || !/^(run|alone)\/.+$/.test(owner) || isQueueOwner(owner) || !Number.isSafeInteger(at)) {
    throw new InvalidInputError('token', token, 'Give the token that fetchAndLock gave with the task.');
  }
  return { owner, since: at, ...defined({ groupOwner }) };
}
