/** Jobs whose writes ended within a second are kept as one number. */
const SPAN_MS = 1_000;
/** No measurement that refuses jobs began longer ago, unless a pass over Jobs takes seven hours. */
const KEPT_MS = 86_400_000;

/** Ready jobs of one type that this process enqueued and that a measurement may have missed. */
export class OwnJobs {
  #writing = 0;
  readonly #written: { readonly first: number; last: number; count: number }[] = [];

  /** Counts jobs from before they are written. */
  begin(count: number): void {
    this.#writing += count;
  }

  /** Their write has ended: `kept` of them exist, or may exist. */
  end(count: number, kept: number, now: number): void {
    this.#writing -= count;
    const newest = this.#written.at(-1);
    if (newest !== undefined && now - newest.first < SPAN_MS) {
      newest.last = Math.max(newest.last, now);
      newest.count += kept;
    } else if (kept > 0) {
      this.#written.push({ first: now, last: now, count: kept });
    }
    this.forgetBefore(now - KEPT_MS);
  }

  /** Forgets the jobs whose write ended before `from`: when a pass began at `from`, they were there. */
  forgetBefore(from: number): void {
    while ((this.#written[0]?.last ?? from) < from) this.#written.shift();
  }

  /** Jobs that are being written, and those whose write ended at `from` or later: others were there when a pass began at `from`. */
  since(from: number): number {
    return this.#writing + this.#written.reduce((sum, { last, count }) => (last >= from ? sum + count : sum), 0);
  }
}
