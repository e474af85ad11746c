/** Wakes all waiters. A signal without waiters is kept for the next one. */
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
