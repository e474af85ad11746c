import type { Backlog, HintSender, Inbox } from '../../ports/hints.ts';
import type { SqsParts } from './caller.ts';
import { countVisible, postponeMessage, rejectMessage } from './inbox.ts';
import { sendAll } from './send.ts';

/** The queues in SQS. Their URLs come from the deployment's environment, never from a row or a message. */
export function createSqsHints(parts: SqsParts): HintSender & Inbox & Backlog {
  return {
    send: (hints) => sendAll(parts, hints),
    postpone: (message, ms) => postponeMessage(parts, message, ms),
    reject: (message, reason) => rejectMessage(parts, message, reason),
    visible: (queue) => countVisible(parts, queue),
  };
}
