import type { Condition, SingleWrite, WriteWindow } from '../../ports/tables.ts';
import { putOnce } from './batch-put.ts';
import type { BatchSupport } from './batch-support.ts';
import type { DynamoDeps } from './caller.ts';
import { type Member, type QueuedWrite, sendShared } from './shared-request.ts';

/** A put that nothing fences but the window of its caller: BatchWriteItem takes no conditions. */
export type PlainPut = SingleWrite & { readonly op: 'put'; readonly condition?: Condition & undefined };

/** Such a put that waits for its request. */
export interface QueuedPut extends QueuedWrite {
  readonly write: PlainPut;
}

/**
 * Whether a put may share a request: those of new jobs do. Rows that functions keep about themselves are put without a window, one at
 * a time.
 */
export function canBePutTogether(write: SingleWrite, window: WriteWindow | undefined): write is PlainPut {
  return write.op === 'put' && write.condition === undefined && window?.notAfter !== undefined;
}

/**
 * Puts different rows of one table in one request. Each has its own end, in order: DynamoDB gives back
 * [what it did not process](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html), which then goes by itself.
 * Never rejects.
 */
export async function putTogether(deps: DynamoDeps, support: BatchSupport, queued: readonly QueuedPut[]): Promise<readonly Member[]> {
  const [first] = queued;
  const table = first?.write.table ?? 'jobs';
  const rows = queued.map(({ write }) => write.row);
  const answered = await sendShared(queued, { kind: 'puts', support }, (effort) => putOnce(deps, table, rows, effort));
  if ('members' in answered) return answered.members;
  const left = new Set(answered.reply);
  return queued.map(({ write, effort }): Member => {
    if (!left.has(write.row)) return { end: 'applied' };
    effort.attempts.takeBack();
    return { end: 'again', message: 'DynamoDB did not process it' };
  });
}
