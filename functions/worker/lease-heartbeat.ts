import { errorText } from '../../shared/job/error-text.ts';
import { LeaseLostError, StoreUnavailableError } from '../../shared/job/errors.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import { MAX_CLOCK_SKEW_MS } from '../../shared/job/lease.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import { groupLockKey } from '../../shared/store/control-rows.ts';
import { takeLock } from '../../shared/store/take-lock.ts';
import { renew } from '../../shared/store/renew.ts';
import type { ExecutorDeps } from '../executor/deps.ts';
import type { Hold, Kept } from '../executor/invocation.ts';
import type { Delivery } from '../executor/receive.ts';
import { keepHidden } from './message-visibility.ts';

/** What a heartbeat renews: a running job, what it holds, its message, and the lock of its group if it has one. */
export interface Held {
  readonly delivery: Delivery;
  readonly job: LeasedJob;
  readonly holds: readonly Hold[];
}

/** Shared by all heartbeats of a worker. `stopping` interrupts all runs. */
export interface HeartbeatTerms {
  readonly deps: ExecutorDeps;
  readonly source: HintSource;
  readonly leaseMs: number;
  readonly stopping: AbortSignal;
  /** Called if a handler still runs although its lease is about to expire: the process must end now. */
  readonly tooLate: () => void;
}

/** How long before the end of the lease such a process must be gone: another clock may be ahead, and ending takes a moment. */
const LAST_MOMENT_MS = MAX_CLOCK_SKEW_MS + 1_000;

/**
 * Renews a lease, and the lock of its group, every third of its length. A failed renewal is retried soon. If none succeeds
 * until the margin before the end of either, or another process holds the row, the run is interrupted: after the end, the job or its
 * group may belong to another process. If the handler still runs shortly before that end, the process is ended.
 */
export class Heartbeat implements Kept {
  readonly interrupt: AbortSignal;
  readonly #terms: HeartbeatTerms;
  readonly #held: Held;
  readonly #over = new AbortController();
  readonly #gone = new AbortController();
  readonly #settled = new AbortController();
  readonly #beating: Promise<void>;
  #job: LeasedJob;
  /** Until when both are certainly held: the lease, and the lock of the group, which was taken before it. */
  #until: number;
  #lost = false;
  #watched = false;

  constructor(terms: HeartbeatTerms, held: Held) {
    this.#terms = terms;
    this.#held = held;
    this.#job = held.job;
    this.#until = Math.min(held.job.lockExpiresAt, held.delivery.lock?.until ?? Number.POSITIVE_INFINITY);
    this.interrupt = AbortSignal.any([this.#gone.signal, terms.stopping]);
    if (this.#leftMs() <= 0) this.#giveUp();
    this.#beating = this.#beat();
  }

  async end(unsettled: boolean): Promise<{ readonly job: LeasedJob; readonly lost: boolean }> {
    this.#over.abort();
    if (unsettled) void this.#watch();
    else this.#settled.abort();
    await this.#beating;
    return { job: this.#job, lost: this.#lost };
  }

  async #beat(): Promise<void> {
    const { deps, source, leaseMs } = this.#terms;
    const message = keepHidden({ ...deps, source }, this.#held.delivery.message, leaseMs);
    let hiding: Promise<void> | undefined;
    for (let pauseMs = leaseMs / 3; !this.#gone.signal.aborted;) {
      await this.#wait(Math.min(pauseMs, this.#leftMs()));
      if (this.#over.signal.aborted) return;
      if (this.#leftMs() <= 0) return this.#giveUp();
      // Awaited when the run ends, so that no renewal is written during the recording.
      const renewal = this.#renew();
      await Promise.race([renewal, this.#wait(this.#leftMs())]);
      if (this.#leftMs() <= 0) this.#giveUp();
      const result = await renewal;
      if (result === 'lost') {
        // Never later than before: with less time left the run was given up above.
        this.#until = deps.clock.now() + deps.deployment.settings.leaseMarginMs;
        return this.#giveUp();
      }
      pauseMs = result === 'renewed' ? leaseMs / 3 : leaseMs / 12;
      // One at a time and not awaited: a slow queue must not cost the lease. It never rejects.
      if (result === 'renewed' && !this.#gone.signal.aborted) hiding ??= message.extend().finally(() => (hiding = undefined));
    }
  }

  /** Renews the row last, so that its lease never lasts longer than the locks and holds that belong to it. */
  async #renew(): Promise<'renewed' | 'lost' | 'failed'> {
    const { tables, clock } = this.#terms.deps;
    const { delivery, holds } = this.#held;
    const { lock } = delivery;
    const now = clock.now();
    const expiresAt = now + this.#terms.leaseMs;
    try {
      if (lock !== undefined && !(await takeLock(tables, groupLockKey(lock.groupHash), lock.owner, { now, expiresAt })).taken)
        return 'lost';
      for (const hold of holds) if (!(await hold.extend(this.#terms.deps, this.#job, expiresAt))) return 'lost';
      const renewed = await renew(tables, this.#job, expiresAt);
      this.#lost = renewed.result === 'lost';
      if (renewed.result === 'lost') return 'lost';
      this.#job = renewed.job;
      this.#until = expiresAt;
      return 'renewed';
    } catch (error) {
      this.#terms.deps.journal.record({ event: 'store-failed', worker: this.#job.worker, error: errorText(error, now) });
      // A refusal may be temporary: a deployment that changes permissions must not waste an hour of work.
      if (!(error instanceof StoreUnavailableError)) this.#terms.deps.journal.flush();
      return 'failed';
    }
  }

  /** How long the lease is safe: its margin covers the clock skew and the grace period of an aborted handler. */
  #leftMs(): number {
    const { deps } = this.#terms;
    return this.#until - deps.deployment.settings.leaseMarginMs - deps.clock.now();
  }

  async #wait(ms: number): Promise<void> {
    await this.#terms.deps.clock.wait(ms, this.#over.signal);
  }

  #giveUp(): void {
    this.#gone.abort(new LeaseLostError());
    void this.#watch();
  }

  /** Waits for the handler until shortly before the end, or for a moment if that has passed because the process was frozen. */
  async #watch(): Promise<void> {
    if (this.#watched) return;
    this.#watched = true;
    const { deps, tooLate } = this.#terms;
    const { leaseMarginMs, abortGraceMs } = deps.deployment.settings;
    const now = deps.clock.now();
    const graceMs = Math.min(abortGraceMs, leaseMarginMs - LAST_MOMENT_MS);
    await deps.clock.wait(Math.max(this.#until - LAST_MOMENT_MS - now, graceMs), this.#settled.signal);
    if (!this.#settled.signal.aborted) tooLate();
  }
}
