import type { $Command, ServiceInputTypes, ServiceOutputTypes, SQSClient, SQSClientResolvedConfig } from '@aws-sdk/client-sqs';
import { type CallTime, guardAttempts, sendWithin } from '../aws/attempt-guard.ts';
import { Attempts } from '../aws/attempts.ts';
import type { Pace } from '../aws/backoff.ts';
import type { WorkerQueues } from '../../config/environment.ts';
import type { Journal } from '../../ports/journal.ts';

/** What the SQS adapter is made of. */
export interface SqsDeps extends Pace {
  readonly client: SQSClient;
  readonly workers: ReadonlyMap<string, WorkerQueues>;
  /** When the invocation ends, epoch milliseconds: no call outlasts it. */
  readonly deadlineAt?: () => number | undefined;
  /** Calls back when the present turn of the event loop has ended. Where it is given, hints that are sent in one turn share requests. */
  readonly afterTurn?: (run: () => void) => void;
  /** Where a visibility that could not be changed is noted. */
  readonly journal?: Journal;
}

/** What one call may differ in from others: its time, and where its attempts are noted. */
export interface CallTerms extends Omit<CallTime, 'deadline'> {
  readonly attempts?: Attempts;
}

/** Makes one call of the SDK within the deadline. Throws what the SDK throws. */
export async function call<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  deps: SqsDeps,
  command: $Command<Input, Output, SQSClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
  { attempts = new Attempts(), ...time }: CallTerms = {},
): Promise<Output> {
  const deadline = deps.deadlineAt?.();
  guardAttempts(command.middlewareStack, deps.clock, { deadline }, attempts);
  return sendWithin(deps.clock, { deadline, ...time }, async (options) => deps.client.send(command, options));
}
