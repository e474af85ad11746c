import type { Backlog, HintSender, Inbox } from '../../ports/hints.ts';
import type { SqsDeps } from './caller.ts';
import { countVisible, postponeMessage, rejectMessage } from './inbox.ts';
import { sendAll } from './send.ts';

/** The queues in SQS. Their URLs come from the deployment's environment, never from a row or a message. */
export function createSqsHints(deps: SqsDeps): HintSender & Inbox & Backlog {
  return {
    send: (hints) => sendAll(deps, hints),
    postpone: (message, ms) => postponeMessage(deps, message, ms),
    reject: (message, reason) => rejectMessage(deps, message, reason),
    visible: (queue) => countVisible(deps, queue),
  };
}
