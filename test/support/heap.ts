/** A binary heap: the least value first, by `before`. */
export class Heap<Value> {
  readonly #values: Value[] = [];
  readonly #before: (a: Value, b: Value) => boolean;

  constructor(before: (a: Value, b: Value) => boolean) {
    this.#before = before;
  }

  /** The least value. */
  get first(): Value | undefined {
    return this.#values[0];
  }

  /** All values, in no order. */
  get values(): readonly Value[] {
    return this.#values;
  }

  push(value: Value): void {
    const values = this.#values;
    let at = values.push(value) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(value, values[parent] as Value)) break;
      values[at] = values[parent] as Value;
      at = parent;
    }
    values[at] = value;
  }

  /** Removes the least value. */
  pop(): void {
    const values = this.#values;
    const last = values.pop() as Value;
    if (values.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= values.length) break;
      if (child + 1 < values.length && this.#before(values[child + 1] as Value, values[child] as Value)) child++;
      if (!this.#before(values[child] as Value, last)) break;
      values[at] = values[child] as Value;
      at = child;
    }
    values[at] = last;
  }
}
