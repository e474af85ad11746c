/** A queue of any length: items taken from its front are freed in blocks. */
export class Fifo<Item> {
  #items: Item[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head++];
    if (this.#head > 1_024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
