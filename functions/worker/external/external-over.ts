import { type Duration, durationMs } from '../../../shared/core/duration.ts';
import { InvalidInputError } from '../../../shared/core/errors.ts';
import { checkOptions } from '../../../shared/core/names.ts';
import { fail } from '../../../shared/core/verdict.ts';
import type { HintSource } from '../../../shared/ports/hint-source.ts';
import type { QueueRef } from '../../../shared/ports/hints.ts';
import type { Batch } from '../../executor/batch.ts';
import { openOutsideBatch } from '../outside-batch.ts';
import type { ExecutorDeps } from '../../executor/deps.ts';
import { completionExtras } from '../../executor/completion-extras.ts';
import type { External, ExternalFailure } from './external.ts';
import { fetchTasks } from './fetch-tasks.ts';
import { type Answer, extendTask, settleTask } from './settle-task.ts';

const MOST_TASKS = 100;
const LEAST_LEASE_MS = 1_000;
const LONGEST_LEASE_MS = 24 * 3_600_000;
const LONGEST_WAIT_MS = 20_000;
const never = new AbortController().signal;

/** The verbs of external workers over their dependencies; `deps.handlers` knows every type. */
export function externalOver(deps: ExecutorDeps, from: { readonly source: HintSource; readonly queues: readonly QueueRef[] }): External {
  const batchOf = (leaseMs = LEAST_LEASE_MS): Batch =>
    openOutsideBatch({ deps, source: from.source, leaseMs, stopping: never, ending: () => {}, tooLate: () => {} });
  const settle = (id: string, token: string, answer: Answer) => settleTask(batchOf(), id, token, answer);
  return {
    async fetchAndLock(n, lease, { wait = 0 } = {}) {
      if (!Number.isInteger(n) || n < 1 || n > MOST_TASKS)
        throw new InvalidInputError('n', n, `Use a whole number from 1 to ${MOST_TASKS}.`);
      const batch = batchOf(leaseMsOf(lease));
      const waitMs = Math.min(durationMs(wait, 'wait'), LONGEST_WAIT_MS);
      const tasks = await fetchTasks({ batch, ...from, n, waitMs });
      await deps.reporter?.report(deps);
      deps.journal.flush();
      return tasks;
    },
    extendLock: async (id, token, lease) => extendTask(batchOf(), id, token, leaseMsOf(lease)),
    async complete(id, token, options = {}) {
      checkOptions(options, ['result', 'keepResult'], 'options');
      const extras = await completionExtras(deps, options);
      return settle(id, token, { outcome: { kind: 'verdict', verdict: { verdict: 'complete', options } }, extras });
    },
    fail: async (id, token, failure) => settle(id, token, failed(failure)),
    unlock: async (id, token) => settle(id, token, { outcome: { kind: 'no-time' } }),
  };
}

function leaseMsOf(lease: Duration): number {
  const ms = durationMs(lease, 'lease');
  if (ms >= LEAST_LEASE_MS && ms <= LONGEST_LEASE_MS) return ms;
  throw new InvalidInputError('lease', lease, 'Use from PT1S to PT24H, and extendLock for longer.');
}

function failed(failure: ExternalFailure): Answer {
  checkOptions(failure, ['message', 'retries', 'delay'], 'failure');
  const { message, retries, delay } = failure;
  if (typeof message !== 'string') throw new InvalidInputError('message', message, 'Say what went wrong.');
  if (retries !== undefined && !(Number.isSafeInteger(retries) && retries >= 0)) {
    throw new InvalidInputError('retries', retries, 'Use a whole number, 0 or more; 0 makes it a dead letter.');
  }
  const delayMs = delay === undefined ? undefined : durationMs(delay, 'delay');
  const verdict = fail(message, { retry: retries !== 0, ...(delayMs === undefined || retries === 0 ? {} : { retryAfter: delayMs }) });
  return {
    outcome: { kind: 'verdict', verdict },
    ...(retries === undefined ? {} : { change: (job) => ({ ...job, triesLimit: job.failures + 1 + retries }) }),
  };
}
