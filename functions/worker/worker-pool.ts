import { defined } from '../../shared/job/defined.ts';
import { WorkerStoppingError } from '../../shared/job/errors.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import type { QueueRef, ReceivedHint } from '../../shared/ports/hints.ts';
import { type ExecutorInvocation, settleTouchedBatches, flushHistory } from '../executor/invocation.ts';
import { executeTrack, SandboxEndedError } from '../executor/execute-messages.ts';
import { requeue, receive, type Track } from '../executor/receive.ts';
import type { ExecutorDeps } from '../executor/deps.ts';
import { Signal } from './signal.ts';
import { keepHidden } from './message-visibility.ts';
import { openWorkerInvocation } from './worker-invocation.ts';
import { type Poll, QueueTurns } from './queue-turns.ts';

/** Dependencies and options of a worker outside Lambda. */
export interface WorkerPoolTerms {
  readonly source: HintSource;
  /** The queues to poll, in the order of their first poll. */
  readonly queues: readonly QueueRef[];
  /** Jobs that run at the same time. */
  readonly concurrency: number;
  /** How long running jobs may take to finish when the worker stops. */
  readonly drainMs: number;
  /** Stops the worker. */
  readonly stop: AbortSignal;
}

/** A track waiting to start. Its messages are kept hidden until `release`. */
interface InHand {
  readonly track: Track;
  readonly release: () => void;
}

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;
/** As in Lambda: after this many receives a suspect no longer waits for an idle moment; the pool drains for it. */
const PATIENT_RECEIVES = 5;
const SUSPECT_STEP_MS = 10_000;

/**
 * Polls its queues and runs jobs until it is stopped, then drains. A job that may have killed a process runs
 * alone: it is redelivered while others run, and after a few times the pool takes nothing new until it can start.
 */
export class WorkerPool {
  readonly #deps: ExecutorDeps;
  readonly #terms: WorkerPoolTerms;
  readonly #invocation: ExecutorInvocation;
  readonly #turns: QueueTurns;
  readonly #bell = new Signal();
  /** Ends polls; nothing new is received. */
  readonly #off = new AbortController();
  /** A handler still runs and its lease is about to expire: the pool stops waiting. */
  readonly #tooLate = Promise.withResolvers<void>();
  /** Interrupts running jobs. */
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #polls = new Set<Promise<void>>();
  readonly #suspects: InHand[] = [];
  /** Received while a suspect ran. */
  readonly #waiting: InHand[] = [];
  #reserved = 0;
  #alone = false;
  #failedPolls = 0;

  constructor(deps: ExecutorDeps, terms: WorkerPoolTerms) {
    const { source } = terms;
    const leaseMs = deps.deployment.settings.workerLeaseMs;
    this.#invocation = openWorkerInvocation({
      deps,
      source,
      leaseMs,
      stopping: this.#stopping.signal,
      ending: () => this.#bell.ring(),
      tooLate: () => {
        this.#tooLate.resolve();
        this.#invocation.endProcess();
      },
    });
    this.#deps = this.#invocation.deps;
    this.#terms = terms;
    this.#turns = new QueueTurns(terms.queues);
  }

  /** Resolves when everything is recorded. Throws SandboxEndedError if a handler outlived its attempt, after ending the sandbox. */
  async work(): Promise<void> {
    const { stop } = this.#terms;
    const ring = (): void => this.#bell.ring();
    stop.addEventListener('abort', ring, { once: true });
    this.#follow(this.#polls, this.#report());
    while (!this.#over) {
      this.#tend();
      await this.#bell.heard();
    }
    stop.removeEventListener('abort', ring);
    this.#off.abort();
    await Promise.race([this.#windUp(), this.#tooLate.promise]);
    if (!this.#invocation.ending) return;
    if (this.#running.size > 0) await this.#tellOthers();
    const { worker } = this.#deps.deployment;
    this.#deps.journal.record({ event: 'sandbox-ended', ...defined({ worker }) });
    this.#deps.journal.flush();
    this.#deps.sandbox.end();
    throw new SandboxEndedError('A handler outlived its attempt; the process was ended.');
  }

  /** Fires the signals of the other running jobs. There is no time left to wait for them. */
  async #tellOthers(): Promise<void> {
    this.#stopping.abort(new WorkerStoppingError());
    await this.#deps.clock.wait(1);
  }

  async #windUp(): Promise<void> {
    await this.#drain();
    await this.#deps.flushEvents?.(true);
    this.#deps.journal.flush();
  }

  get #over(): boolean {
    return this.#terms.stop.aborted || this.#invocation.ending;
  }

  #tend(): void {
    if (this.#alone) return;
    if (this.#suspects.length > 0) {
      if (this.#running.size > 0) return;
      const next = this.#suspects.shift();
      next?.release();
      if (next !== undefined) this.#start(next.track);
      return;
    }
    for (const { track, release } of this.#waiting.splice(0)) {
      release();
      this.#start(track);
    }
    for (;;) {
      const poll = this.#turns.next(this.#terms.concurrency - this.#running.size - this.#reserved);
      if (poll === undefined) return;
      this.#reserved += poll.max;
      this.#follow(this.#polls, this.#poll(poll));
    }
  }

  /** Keeps a promise in its set until it has settled, then checks for the next step. */
  #follow(set: Set<Promise<void>>, work: Promise<void>): void {
    const followed: Promise<void> = work
      .catch((error: unknown) => this.#invocation.storeFailed(error))
      .finally(() => {
        set.delete(followed);
        this.#bell.ring();
      });
    set.add(followed);
  }

  async #poll({ queue, max, waitMs }: Poll): Promise<void> {
    let tracks: readonly Track[] = [];
    try {
      const messages = await this.#receive(queue, max, waitMs);
      this.#turns.ended(queue, messages.length);
      tracks = await this.#sortOut(messages);
    } finally {
      this.#reserved -= max;
    }
    // Stopped while the messages were being read: jobs that start now would not be awaited.
    if (this.#over) await this.#giveBack(tracks);
    else for (const track of tracks) this.#take(track);
    await this.#report();
  }

  async #receive(queue: QueueRef, max: number, waitMs: number): Promise<readonly ReceivedHint[]> {
    try {
      const messages = await this.#terms.source.receive(queue, { max, waitMs, signal: this.#off.signal });
      this.#failedPolls = 0;
      return messages;
    } catch (error) {
      this.#invocation.storeFailed(error);
      await this.#backOff();
      return [];
    }
  }

  async #giveBack(tracks: readonly Track[]): Promise<void> {
    const deliveries = tracks.flatMap((track) => track.deliveries);
    await Promise.all(deliveries.map(({ message }) => this.#deps.inbox.postpone(message, 0)));
  }

  async #backOff(): Promise<void> {
    const { clock, entropy } = this.#deps;
    const most = Math.min(FIRST_BACKOFF_MS * 2 ** this.#failedPolls, LONGEST_BACKOFF_MS);
    this.#failedPolls += 1;
    await clock.wait(most * (0.5 + entropy.random() / 2), this.#off.signal);
  }

  async #sortOut(messages: readonly ReceivedHint[]): Promise<readonly Track[]> {
    // Received at the moment of the stop: other workers may take them.
    if (this.#over) {
      await Promise.all(messages.map((message) => this.#deps.inbox.postpone(message, 0)));
      return [];
    }
    const { tracks, failed } = await receive(this.#deps, messages);
    const taken = new Set([...failed, ...tracks.flatMap(({ deliveries }) => deliveries.map(({ message }) => message.messageId))]);
    await Promise.all(messages.filter(({ messageId }) => !taken.has(messageId)).map((message) => this.#acknowledge(message)));
    return tracks;
  }

  #take(track: Track): void {
    if (track.alone) this.#suspect(track);
    else if (this.#alone) this.#waiting.push({ track, release: this.#hold(track) });
    else this.#start(track);
  }

  #suspect(track: Track): void {
    const receives = Math.max(...track.deliveries.map(({ message }) => message.receiveCount));
    const busy = this.#running.size > 0 || this.#over;
    if (busy && receives < PATIENT_RECEIVES) {
      const back = track.deliveries.map((delivery) => requeue(this.#invocation, delivery, SUSPECT_STEP_MS * receives));
      this.#follow(
        this.#polls,
        Promise.all(back).then(() => {}),
      );
      return;
    }
    this.#suspects.push({ track, release: this.#hold(track) });
  }

  /** Keeps messages hidden while they wait to start. */
  #hold(track: Track): () => void {
    const { deployment, clock } = this.#deps;
    const leaseMs = deployment.settings.workerLeaseMs;
    const released = new AbortController();
    const hidden = track.deliveries.map(({ message }) => keepHidden({ ...this.#deps, source: this.#terms.source }, message, leaseMs));
    void (async () => {
      for (;;) {
        await clock.wait(leaseMs / 3, released.signal);
        if (released.signal.aborted) return;
        await Promise.all(hidden.map((one) => one.extend()));
      }
    })();
    return () => released.abort();
  }

  #start(track: Track): void {
    this.#alone = track.alone;
    this.#follow(this.#running, this.#run(track));
  }

  async #run(track: Track): Promise<void> {
    const { requeued, later } = await executeTrack(this.#invocation, track).finally(() => {
      if (track.alone) this.#alone = false;
    });
    const kept = new Set([...requeued, ...later.deliveries.map(({ message }) => message.messageId)]);
    const done = track.deliveries.filter(({ message }) => !kept.has(message.messageId));
    if (later.deliveries.length > 0) this.#suspect(later);
    const acknowledged = done.map(({ message }) => this.#acknowledge(message));
    await Promise.all([settleTouchedBatches(this.#invocation), flushHistory(this.#invocation), this.#report(), ...acknowledged]);
    await this.#deps.flushEvents?.();
    this.#deps.journal.flush();
  }

  /** Also while idle: the worker is alive, and jobs without a handler wait for its report. */
  async #report(): Promise<void> {
    await this.#deps.reporter?.report(this.#deps);
  }

  async #acknowledge(message: ReceivedHint): Promise<void> {
    await this.#terms.source.acknowledge(message).catch((error: unknown) => {
      const reason = `acknowledge: ${error instanceof Error ? error.name : 'unknown'}`;
      this.#deps.journal.record({ event: 'send-failed', worker: message.queue.worker, reason });
    });
  }

  /** A handler that outlived its attempt must be gone before its lease expires, which may be as soon as the margin. */
  get #drainMs(): number {
    const { drainMs } = this.#terms;
    return this.#invocation.ending ? Math.min(drainMs, this.#deps.deployment.settings.leaseMarginMs / 2) : drainMs;
  }

  async #drain(): Promise<void> {
    const { clock } = this.#deps;
    const drained = new AbortController();
    const all = async (): Promise<void> => {
      while (this.#running.size > 0) await Promise.all(this.#running);
      drained.abort();
    };
    const ended = all();
    await clock.wait(this.#drainMs, drained.signal);
    if (!drained.signal.aborted) this.#stopping.abort(new WorkerStoppingError());
    await ended;
    await Promise.all(this.#polls);
    for (const { track, release } of [...this.#suspects.splice(0), ...this.#waiting.splice(0)]) {
      release();
      await this.#giveBack([track]);
    }
  }
}
