import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { PairReport } from './walk-pair.ts';

/** What was walked of everything: a line for each block of pairs, so that a run that is ended goes on where it was. */
export class Progress {
  readonly #file: string;
  readonly #of: number;

  /** `of`: how many pairs there are; blocks that were walked when there were others count for nothing. */
  constructor(file: string, of: number) {
    this.#file = file;
    this.#of = of;
  }

  restart(): void {
    rmSync(this.#file, { force: true });
  }

  /** The blocks that were walked, by the number of their first pair. */
  read(): ReadonlyMap<number, readonly PairReport[]> {
    const blocks = new Map<number, readonly PairReport[]>();
    if (!existsSync(this.#file)) return blocks;
    for (const line of readFileSync(this.#file, 'utf8').split('\n')) {
      const block = parsed(line);
      if (block?.of === this.#of) blocks.set(block.from, block.reports);
    }
    return blocks;
  }

  add(from: number, reports: readonly PairReport[]): void {
    mkdirSync(dirname(this.#file), { recursive: true });
    appendFileSync(this.#file, `${JSON.stringify({ of: this.#of, from, reports })}\n`);
  }
}

interface Block {
  readonly of: number;
  readonly from: number;
  readonly reports: readonly PairReport[];
}

/** The last line may be half a line: its block is walked again. */
function parsed(line: string): Block | undefined {
  try {
    return JSON.parse(line) as Block;
  } catch {
    return undefined;
  }
}
