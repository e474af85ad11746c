/** A number of places, taken in the order in which they are asked for. */
export class Places {
  #left: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#left = count;
  }

  /** Resolves when a place is free. */
  async take(): Promise<void> {
    if (this.#left > 0) {
      this.#left -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Hands the place to the next in line. */
  free(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#left += 1;
    else next();
  }
}
