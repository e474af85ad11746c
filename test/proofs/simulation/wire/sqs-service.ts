import { createHash } from 'node:crypto';
import type { WorkerQueues } from '../../../../shared/config/environment.ts';
import { encodeHint, type Hint } from '../../../../shared/job/hint.ts';
import { routeHint } from '../../../../shared/job/hint-route.ts';
import { InvalidRequestError } from './invalid-request.ts';
import { type Body, expectFields } from './request-body.ts';

/** One message of a request, and the hint that it carries. */
export interface SentEntry {
  readonly id: string;
  readonly body: string;
  readonly hint: Hint;
}

const MOST_ENTRIES = 10;

/**
 * Reads a SendMessageBatch. Each entry must be one of the `hints` that its process sends, on its way to the queue, with the delay, the
 * group and the deduplication that the hint asks for.
 */
export function readSendBatch(body: Body, hints: readonly Hint[], workers: ReadonlyMap<string, WorkerQueues>): readonly SentEntry[] {
  expectFields(body, ['QueueUrl', 'Entries']);
  const { QueueUrl: url, Entries: entries } = body as { readonly QueueUrl: string; readonly Entries: readonly Body[] };
  if (entries.length === 0 || entries.length > MOST_ENTRIES) throw new InvalidRequestError('1 to 10 entries');
  if (new Set(entries.map(({ Id: id }) => id)).size < entries.length) throw new InvalidRequestError('two entries have one id');
  const known = new Map(hints.map((hint) => [JSON.stringify(messageOf(hint, workers)), hint]));
  return entries.map(({ Id: id, ...message }) => {
    const hint = known.get(JSON.stringify({ url, ...sorted(message) }));
    if (hint === undefined) throw new InvalidRequestError(`${JSON.stringify({ url, ...message })} is no hint of this call`);
    return { id: String(id), body: String(message['MessageBody']), hint };
  });
}

/** The message that a hint must be sent as; nothing where there is no queue for it. */
function messageOf(hint: Hint, workers: ReadonlyMap<string, WorkerQueues>): object {
  const queues = workers.get(hint.worker);
  const to = routeHint(hint, queues);
  if (to === undefined) return {};
  const group = to.kind === 'fifo' ? hint.groupHash : hint.tenantHash;
  const message = {
    MessageBody: encodeHint(hint, to.forward),
    ...(to.delaySeconds === 0 ? {} : { DelaySeconds: to.delaySeconds }),
    ...(group === undefined ? {} : { MessageGroupId: group }),
    ...(to.kind === 'fifo' ? { MessageDeduplicationId: `${hint.id}#${hint.n}` } : {}),
  };
  return { url: to.kind === 'fifo' ? queues?.fifo : queues?.lanes[to.lane], ...sorted(message) };
}

const sorted = (message: Body): Body => Object.fromEntries(Object.entries(message).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** What SQS says of an entry that it took; the client checks the digest. */
export const taken = ({ id, body }: SentEntry): object => ({
  Id: id,
  MessageId: id,
  MD5OfMessageBody: createHash('md5').update(body).digest('hex'),
});

/** What it says of one that it did not take. */
export const failed = ({ id }: SentEntry, code: string, senderFault = false): object => ({ Id: id, Code: code, SenderFault: senderFault });
