import { createHash } from 'node:crypto';

/** Characters: a call of the hash costs more than the text of many lines. */
const HASHED_AT_ONCE = 65_536;

/** What happened in a run, line by line: always as a hash, so that two runs can be compared, and as text when somebody reads it. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly #print: ((line: string) => void) | undefined;
  readonly #start: number;
  #unhashed = '';

  constructor(start: number, print?: (line: string) => void) {
    this.#start = start;
    this.#print = print;
  }

  /** Notes an event at an instant. */
  note(at: number, who: string, what: string): void {
    const line = `${((at - this.#start) / 1000).toFixed(3)} ${who} ${what}`;
    this.#unhashed += line;
    if (this.#unhashed.length > HASHED_AT_ONCE) this.#hashRest();
    this.#print?.(line);
  }

  #hashRest(): void {
    this.#hash.update(this.#unhashed);
    this.#unhashed = '';
  }

  /** The hash of everything noted; ends the trace. */
  digest(): string {
    this.#hashRest();
    return this.#hash.digest('hex').slice(0, 16);
  }
}
