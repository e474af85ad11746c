import { pbkdf2Sync } from 'node:crypto';
import { systemClock } from '../../shared/adapters/system.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload } from '../frame/any-payload.ts';

/** What a task does: it waits, as one that calls a service, or it computes. */
export type TaskKind = 'waits' | 'computes';

/** One task of a run. `size`: milliseconds of a wait, iterations of a computation. */
export interface Task {
  readonly run: string;
  readonly kind: TaskKind;
  readonly size: number;
}

/** Does one task. */
export const oneTask = defineJob('branches.task', { payload: anyPayload<Task>() });

/** Does all tasks of a run in one job: one after another, or as promises side by side. */
export const allTasks = defineJob('branches.all', { payload: anyPayload<Task & { readonly tasks: number; readonly atOnce: boolean }>() });

/** Enqueued by a batch when all tasks of a run have ended. */
export const joined = defineJob('branches.joined', { payload: anyPayload<{ readonly run: string }>() });

/** Does a task. A computation holds its thread until it is done. */
export async function perform({ kind, size }: Task): Promise<void> {
  if (kind === 'waits') await systemClock.wait(size);
  else pbkdf2Sync('password', 'salt', size, 32, 'sha256');
}

const ENDED = 'branch ended: ';

/** What a handler prints when it has done its job. */
export const endedLine = (run: string): string => `${ENDED}${run}`;

/** The run of such a line; undefined for any other line. */
export const runOfLine = (line: string): string | undefined => (line.startsWith(ENDED) ? line.slice(ENDED.length) : undefined);
