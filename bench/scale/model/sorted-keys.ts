/**
 * Keys that can be read in order. They are sorted on read, and removed ones are skipped until they are the greater
 * part: a million timers are taken from the front of their shards without moving the rest. Whether a key is still there says `has`.
 */
export class SortedKeys {
  readonly #has: (key: string) => boolean;
  #order: string[] = [];
  #fresh: string[] = [];
  #live = 0;

  constructor(has: (key: string) => boolean) {
    this.#has = has;
  }

  /** Takes a key that was not there. */
  add(key: string): void {
    this.#fresh.push(key);
    this.#live++;
  }

  /** Must be called when an existing key was removed. */
  remove(): void {
    this.#live--;
  }

  /** Keys from one on, or only those behind it. */
  *from(key: string, behind: boolean): Generator<string> {
    this.#tidy();
    const order = this.#order;
    for (let at = this.#placeOf(key); at < order.length; at++) {
      const one = order[at] as string;
      if (!(behind && one === key) && this.#has(one)) yield one;
    }
  }

  #tidy(): void {
    if (this.#fresh.length > 0) {
      const fresh = this.#fresh.filter((key) => this.#has(key)).toSorted();
      this.#fresh = [];
      this.#order = merged(this.#order, fresh, this.#has);
    } else if (this.#order.length > 64 && this.#order.length > 2 * this.#live) {
      this.#order = this.#order.filter((key) => this.#has(key));
    }
  }

  #placeOf(key: string): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#order[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Merges two ordered lists, without removed keys and duplicates: a removed key may have been added again. */
function merged(left: readonly string[], right: readonly string[], lives: (key: string) => boolean): string[] {
  const order: string[] = [];
  let [a, b] = [0, 0];
  while (a < left.length || b < right.length) {
    const takesLeft = b >= right.length || (a < left.length && (left[a] as string) <= (right[b] as string));
    const key = (takesLeft ? left[a++] : right[b++]) as string;
    if (order.at(-1) !== key && lives(key)) order.push(key);
  }
  return order;
}
