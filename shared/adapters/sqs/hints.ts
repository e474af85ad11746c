import type { Backlog, HintSender, Inbox } from '../../ports/hints.ts';
import type { SqsDeps } from './caller.ts';
import { countVisible, discardMessages, postponeMessage, rejectMessage } from './inbox.ts';
import { createSender } from './send.ts';

/** The queues in SQS. Their URLs come from the deployment's environment, never from a row or a message. */
export function createSqsHints(deps: SqsDeps): HintSender & Inbox & Backlog {
  return {
    send: createSender(deps),
    postpone: (message, ms) => postponeMessage(deps, message, ms),
    discard: (messages) => discardMessages(deps, messages),
    reject: (message, reason) => rejectMessage(deps, message, reason),
    visible: (queue) => countVisible(deps, queue),
  };
}
