import type { EnqueueOptions } from './enqueue-options.ts';
import type { FollowUp, JobType } from './job-type.ts';

/** A job to enqueue in the transaction that completes the present one, for `complete({ enqueue: [...] })`. Checked when the handler returns it. */
export function followUp<Input, Output>(type: JobType<Input, Output>, payload: NoInfer<Input>, options: EnqueueOptions = {}): FollowUp {
  return { type, payload, options };
}
