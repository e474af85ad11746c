/** How often each thing that a run must meet was met. */
export class Coverage {
  readonly #counts = new Map<string, number>();

  hit(what: string, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  count(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** Required cases that did not occur. */
  missing(required: readonly string[]): readonly string[] {
    return required.filter((what) => this.count(what) === 0);
  }

  /** All counts, by name. */
  all(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}
