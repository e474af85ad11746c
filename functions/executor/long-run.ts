import { defined } from '../../shared/job/defined.ts';
import { causeChain, InvalidInputError } from '../../shared/job/errors.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import type { JobContext, Verdict } from '../../shared/job/job-type.ts';
import { cutToBytes, LIMITS } from '../../shared/job/size-limits.ts';
import { continueWith } from '../../shared/job/verdict.ts';
import { saveProgress } from '../../shared/store/save-progress.ts';
import type { ExecutorDeps } from './deps.ts';

/** Thrown by `yieldIfNeeded` through the handler, and converted to its verdict. */
class YieldSignal extends Error {
  override readonly name = 'YieldSignal';
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super('The run ends here and goes on in another one. Let this through: do not catch it.');
    this.verdict = verdict;
  }
}

/** The handler's return value, or a continuation if it yielded. Rethrows any other error. */
export async function verdictOrYield(handler: () => Promise<unknown>): Promise<unknown> {
  try {
    return await handler();
  } catch (error) {
    const signal = causeChain(error).find((link): link is YieldSignal => link instanceof YieldSignal);
    if (signal === undefined) throw error;
    return signal.verdict;
  }
}

/** A long run yields when less than this is left: the setting, at most a tenth of the run. */
const reserveMs = (setting: number, limitMs: number): number => Math.min(setting, limitMs / 10);
/** Minimum time between two writes of progress. */
const WRITE_EVERY_MS = 1_000;
/** A store that does not answer must not use up the time left to record the outcome. */
const LAST_WRITE_MS = 1_000;

interface Progress {
  readonly progress: number;
  readonly progressText?: string;
}

/** The parts of a handler's context for long runs: yielding and progress. */
export class LongRun {
  readonly context: Pick<JobContext, 'yieldIfNeeded' | 'progress'>;
  readonly #deps: ExecutorDeps;
  #job: LeasedJob;
  #reported: Progress | undefined;
  #unwritten = false;
  #lastWriteAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> | undefined;
  #ended = false;

  constructor(deps: ExecutorDeps, job: LeasedJob, run: { readonly limitMs: number; readonly signal: AbortSignal }) {
    this.#deps = deps;
    this.#job = job;
    const yieldAt = deps.clock.now() + run.limitMs - reserveMs(deps.deployment.settings.yieldReserveMs, run.limitMs);
    this.context = {
      yieldIfNeeded: (state) => {
        if (run.signal.aborted || deps.clock.now() >= yieldAt) throw new YieldSignal(continueWith(state));
      },
      progress: (percent, text) => this.#report(percent, text),
    };
  }

  /**
   * The job as stored now, with its last progress. That is written, unless the job `completes`: then it goes to History with the
   * completion. Progress that the handler reports later is dropped.
   */
  async end(completes: boolean): Promise<LeasedJob> {
    this.#ended = true;
    if (this.#reported === undefined) return this.#job;
    const over = new AbortController();
    const last = async (): Promise<void> => {
      await this.#writing;
      if (this.#unwritten && !completes) await this.#write();
    };
    await Promise.race([last(), this.#deps.clock.wait(LAST_WRITE_MS, over.signal)]);
    over.abort();
    return { ...this.#job, ...this.#reported };
  }

  #report(percent: number, text?: string): void {
    if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) {
      throw new InvalidInputError('progress', percent, 'Use a percentage from 0 to 100.');
    }
    if (text !== undefined && typeof text !== 'string')
      throw new InvalidInputError('progress.text', text, 'Use a string, or leave it out.');
    if (this.#ended) return;
    const progressText = text === undefined ? undefined : cutToBytes(text.toWellFormed(), LIMITS.progressBytes);
    this.#reported = { progress: Math.floor(percent), ...defined({ progressText }) };
    this.#unwritten = true;
    // A clock that was set back counts as time that passed.
    if (this.#writing === undefined && Math.abs(this.#deps.clock.now() - this.#lastWriteAt) >= WRITE_EVERY_MS) {
      this.#writing = this.#write().finally(() => void (this.#writing = undefined));
    }
  }

  async #write(): Promise<void> {
    if (this.#reported === undefined) return;
    this.#unwritten = false;
    this.#lastWriteAt = this.#deps.clock.now();
    // The watch detects a lost lease. If the store does not answer, operators see older progress.
    const saved = await saveProgress(this.#deps.tables, this.#job, this.#reported).catch(() => undefined);
    if (saved !== undefined) this.#job = saved;
  }
}
