/** Wakes who waits for anything to happen; a ring that nobody waits for yet is kept for the next one. */
export class Signal {
  #next = Promise.withResolvers<void>();

  ring(): void {
    this.#next.resolve();
  }

  async heard(): Promise<void> {
    await this.#next.promise;
    this.#next = Promise.withResolvers();
  }
}
