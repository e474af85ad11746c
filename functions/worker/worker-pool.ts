import { defined } from '../../shared/core/defined.ts';
import { WorkerStoppingError } from '../../shared/core/errors.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import type { QueueRef, ReceivedHint } from '../../shared/ports/hints.ts';
import type { Batch } from '../executor/batch.ts';
import { SandboxEndedError } from '../executor/execute-batch.ts';
import { executeTrack } from '../executor/execute-track.ts';
import { requeue } from '../executor/requeue.ts';
import type { ExecutorDeps } from '../executor/deps.ts';
import { receive, type Track } from '../executor/receive.ts';
import { settleTouchedBatches } from '../executor/settle.ts';
import { writeHistory } from '../executor/write-history.ts';
import { Signal } from './signal.ts';
import { keepHidden } from './message-visibility.ts';
import { openOutsideBatch } from './outside-batch.ts';
import { type Poll, QueueTurns } from './queue-turns.ts';

/** What a worker outside Lambda runs with. */
export interface WorkerPoolTerms {
  readonly source: HintSource;
  /** The queues to poll, in the order in which they are looked at first. */
  readonly queues: readonly QueueRef[];
  /** Jobs that run at the same time. */
  readonly concurrency: number;
  /** What running jobs are given to end by themselves when the worker stops. */
  readonly drainMs: number;
  /** Stops the worker. */
  readonly stop: AbortSignal;
}

/** A track that waits for its start; its messages are kept hidden until `release`. */
interface InHand {
  readonly track: Track;
  readonly release: () => void;
}

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;
/** As in a batch: after so many receives a suspect waits no longer for a moment in which nothing runs, but makes one. */
const PATIENT_RECEIVES = 5;
const SUSPECT_STEP_MS = 10_000;

/**
 * Polls its queues and runs jobs until it is told to stop, then drains. A job that may have killed a process runs with nothing
 * beside it: it comes back while others run, and after a few times the crew takes nothing new until it stands alone.
 */
export class WorkerPool {
  readonly #deps: ExecutorDeps;
  readonly #terms: WorkerPoolTerms;
  readonly #batch: Batch;
  readonly #turns: QueueTurns;
  readonly #bell = new Signal();
  /** Ends polls: nothing new is taken. */
  readonly #off = new AbortController();
  /** A handler still runs, and its lease is about to end: nothing is waited for any more. */
  readonly #tooLate = Promise.withResolvers<void>();
  /** Interrupts running jobs. */
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #polls = new Set<Promise<void>>();
  readonly #suspects: InHand[] = [];
  /** Came in while a suspect ran. */
  readonly #waiting: InHand[] = [];
  #reserved = 0;
  #alone = false;
  #failedPolls = 0;

  constructor(deps: ExecutorDeps, terms: WorkerPoolTerms) {
    const { source } = terms;
    const leaseMs = deps.deployment.settings.workerLeaseMs;
    this.#batch = openOutsideBatch({
      deps,
      source,
      leaseMs,
      stopping: this.#stopping.signal,
      ending: () => this.#bell.ring(),
      tooLate: () => {
        this.#tooLate.resolve();
        this.#batch.endProcess();
      },
    });
    this.#deps = this.#batch.deps;
    this.#terms = terms;
    this.#turns = new QueueTurns(terms.queues);
  }

  /** Resolves when everything is recorded. Throws SandboxEndedError after the sandbox was told to end, because a handler outlived its attempt. */
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
    if (!this.#batch.ending) return;
    const { worker } = this.#deps.deployment;
    this.#deps.journal.record({ event: 'sandbox-ended', ...defined({ worker }) });
    this.#deps.journal.flush();
    this.#deps.sandbox.end();
    throw new SandboxEndedError('A handler outlived its attempt; the process was ended.');
  }

  async #windUp(): Promise<void> {
    await this.#drain();
    await this.#deps.flushEvents?.(true);
    this.#deps.journal.flush();
  }

  get #over(): boolean {
    return this.#terms.stop.aborted || this.#batch.ending;
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

  /** Keeps a promise in its set until it has settled, then looks what can be done next. */
  #follow(set: Set<Promise<void>>, work: Promise<void>): void {
    const followed: Promise<void> = work
      .catch((error: unknown) => this.#batch.storeFailed(error))
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
    // Told to stop while it was sorted out: what begins now would not be waited for.
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
      this.#batch.storeFailed(error);
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
    // Received in the very moment of the stop: somebody else may have them.
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
      const back = track.deliveries.map((delivery) => requeue(this.#batch, delivery, SUSPECT_STEP_MS * receives));
      this.#follow(
        this.#polls,
        Promise.all(back).then(() => {}),
      );
      return;
    }
    this.#suspects.push({ track, release: this.#hold(track) });
  }

  /** Keeps messages hidden while they wait in hand. */
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
    const { requeued, later } = await executeTrack(this.#batch, track).finally(() => {
      if (track.alone) this.#alone = false;
    });
    const kept = new Set([...requeued, ...later.deliveries.map(({ message }) => message.messageId)]);
    const done = track.deliveries.filter(({ message }) => !kept.has(message.messageId));
    if (later.deliveries.length > 0) this.#suspect(later);
    const acknowledged = done.map(({ message }) => this.#acknowledge(message));
    await Promise.all([settleTouchedBatches(this.#batch), writeHistory(this.#batch), this.#report(), ...acknowledged]);
    await this.#deps.flushEvents?.();
    this.#deps.journal.flush();
  }

  /** Also while there is nothing to do: it polls, so it lives, and jobs that found no handler wait for one. */
  async #report(): Promise<void> {
    await this.#deps.reporter?.report(this.#deps);
  }

  async #acknowledge(message: ReceivedHint): Promise<void> {
    await this.#terms.source.acknowledge(message).catch((error: unknown) => {
      const reason = `acknowledge: ${error instanceof Error ? error.name : 'unknown'}`;
      this.#deps.journal.record({ event: 'send-failed', worker: message.queue.worker, reason });
    });
  }

  /** A handler that outlived its attempt must be gone before its lease ends, and that may be as little as the margin away. */
  get #drainMs(): number {
    const { drainMs } = this.#terms;
    return this.#batch.ending ? Math.min(drainMs, this.#deps.deployment.settings.leaseMarginMs / 2) : drainMs;
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
