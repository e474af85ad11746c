import type { EnqueueOptions } from '../job/enqueue-options.ts';

/** What a `beforeCreate` middleware sees and may replace. `payload` is the value as it was given. */
export interface JobDraft extends EnqueueOptions {
  readonly type: string;
  readonly payload: unknown;
}

/** Called for each job that a client creates, before it is built; may return a changed draft. Throwing refuses the job. */
export type BeforeCreate = (draft: JobDraft) => JobDraft | undefined;
