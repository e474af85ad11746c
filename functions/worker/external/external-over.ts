import { type Duration, durationMs } from '../../../shared/job/duration.ts';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import { checkOptions } from '../../../shared/job/names.ts';
import { checkCompletion, fail } from '../../../shared/job/verdict.ts';
import type { HintSource } from '../../../shared/ports/hint-source.ts';
import type { QueueRef } from '../../../shared/ports/hints.ts';
import type { ExecutorInvocation } from '../../executor/invocation.ts';
import { openWorkerInvocation } from '../worker-invocation.ts';
import type { ExecutorDeps } from '../../executor/deps.ts';
import { completionExtras } from '../../executor/completion-extras.ts';
import type { External, ExternalFailure } from './external.ts';
import { fetchTasks } from './fetch-tasks.ts';
import { type Answer, extendTask, settleTask } from './settle-task.ts';

const MAX_TASKS = 100;
const MIN_LEASE_MS = 1_000;
const LONGEST_LEASE_MS = 24 * 3_600_000;
const LONGEST_WAIT_MS = 20_000;
const never = new AbortController().signal;

/** Creates the verbs of external workers; `deps.handlers` must know every type. */
export function externalOver(deps: ExecutorDeps, from: { readonly source: HintSource; readonly queues: readonly QueueRef[] }): External {
  const invocationFor = (leaseMs = MIN_LEASE_MS): ExecutorInvocation =>
    openWorkerInvocation({ deps, source: from.source, leaseMs, stopping: never, ending: () => {}, tooLate: () => {} });
  const settle = (id: string, token: string, answer: Answer) => settleTask(invocationFor(), id, token, answer);
  return {
    async fetchAndLock(n, lease, options = {}) {
      checkOptions(options, ['wait'], 'options');
      const { wait = 0 } = options;
      if (!Number.isInteger(n) || n < 1 || n > MAX_TASKS) throw new InvalidInputError('n', n, `Use a whole number from 1 to ${MAX_TASKS}.`);
      const invocation = invocationFor(leaseMsOf(lease));
      const waitMs = Math.min(durationMs(wait, 'wait'), LONGEST_WAIT_MS);
      const tasks = await fetchTasks({ invocation, ...from, n, waitMs });
      await deps.reporter?.report(deps);
      deps.journal.flush();
      return tasks;
    },
    extendLock: async (id, token, lease) => extendTask(invocationFor(), id, token, leaseMsOf(lease)),
    async complete(id, token, options = {}) {
      checkOptions(options, ['result', 'keepResult', 'enqueue', 'cancel'], 'options');
      checkCompletion(options);
      const outcome = { kind: 'verdict', verdict: { verdict: 'complete', options } } as const;
      return settle(id, token, { outcome, extras: () => completionExtras(deps, options) });
    },
    fail: async (id, token, failure) => settle(id, token, failed(failure)),
    unlock: async (id, token) => settle(id, token, { outcome: { kind: 'no-time' } }),
  };
}

function leaseMsOf(lease: Duration): number {
  const ms = durationMs(lease, 'lease');
  if (ms >= MIN_LEASE_MS && ms <= LONGEST_LEASE_MS) return ms;
  throw new InvalidInputError('lease', lease, 'Use from PT1S to PT24H, and extendLock for longer.');
}

function failed(failure: ExternalFailure): Answer {
  checkOptions(failure, ['message', 'name', 'details', 'retries', 'delay'], 'failure');
  const { message, name, details, retries, delay } = failure;
  if (typeof message !== 'string') throw new InvalidInputError('message', message, 'Say what went wrong.');
  for (const [field, text] of Object.entries({ name, details })) {
    if (text !== undefined && typeof text !== 'string') throw new InvalidInputError(field, text, 'Use a text, or leave it out.');
  }
  if (retries !== undefined && !(Number.isSafeInteger(retries) && retries >= 0)) {
    throw new InvalidInputError('retries', retries, 'Use a whole number, 0 or more; 0 makes it a dead letter.');
  }
  const delayMs = delay === undefined ? undefined : durationMs(delay, 'delay');
  const verdict = fail(message, { retry: retries !== 0, ...(delayMs === undefined || retries === 0 ? {} : { retryAfter: delayMs }) });
  return {
    outcome: { kind: 'verdict', verdict, error: { name: name || 'JobFailed', message, stack: details } },
    // A dead letter needs none.
    ...(retries === undefined || retries === 0 ? {} : { retries }),
  };
}
