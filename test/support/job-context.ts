import type { JobContext } from '../../shared/job/job-type.ts';
import type { JobInfo } from '../../shared/job/job-info.ts';

/** A handler's arguments for tests that call it directly; `job` replaces parts of a job that runs for the first time. */
export function jobContext<Payload>(
  payload: Payload,
  job: Partial<JobInfo> = {},
  signal = new AbortController().signal,
): JobContext<Payload> {
  const at = new Date(0);
  const said = (): void => {};
  const plain = { id: 'job-1', type: 'test', attempt: 1, failures: 0, snoozes: 0, dueAt: at, createdAt: at, priority: 0, chainDepth: 0 };
  return {
    payload,
    state: undefined,
    yieldIfNeeded: () => {},
    progress: () => {},
    signal,
    job: { ...plain, continuations: 0, schemaVersion: 1, ...job },
    log: { debug: said, info: said, warn: said, error: said },
  };
}
