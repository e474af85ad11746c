import type { LeasedJob, Scalar } from '../../../shared/job/job.ts';
import { runAgainLater } from '../../../shared/store/run-again-later.ts';
import { runAgain } from '../../../shared/store/run-again.ts';
import { sendHints } from '../../../shared/store/send-hints.ts';
import { ifCancelled } from '../admit/if-cancelled.ts';
import type { Disposition } from '../settle/requeue.ts';
import { type ExecutorDeps, note } from '../deps.ts';

/** When a claimed job that may not start yet is due again, and why. `set`: attributes to change in the same write. */
export interface SentBack {
  readonly dueAt: number;
  readonly reason: string;
  readonly set?: Readonly<Record<string, Scalar>>;
}

/** Sends a claimed job back until `dueAt`, to its queue or to Timers. Counts against nothing. */
export async function sendBack(deps: ExecutorDeps, job: LeasedJob, { dueAt, reason, set = {} }: SentBack): Promise<Disposition> {
  const { tables, clock, entropy, deployment } = deps;
  const { delayHorizonMs, redispatchAfterMs } = deployment.settings;
  const now = clock.now();
  const change = { dueAt, sameAttempt: true, set } as const;
  const back =
    dueAt > now + delayHorizonMs
      ? await runAgainLater(tables, job, change)
      : await runAgain(tables, job, change, { token: entropy.token(), now, redispatchAfterMs });
  await ifCancelled(deps, job, back);
  if (back.result === 'ready' || back.result === 'waiting') note(deps, job, 'given-back', { reason });
  if (back.result === 'ready') await sendHints(deps, [back.job], now);
  return 'acknowledge';
}
