import { diffOf } from './diff-of.ts';
import type { Verdict } from './judge/orders.ts';
import { FOLDERS, type GeneratedMutant } from './mutants.ts';

/** Counts verdicts, and shows each mutant that no test notices and nobody explained. */
export class Score {
  judged = 0;
  noticed = 0;
  unexplained = 0;
  #outdated = 0;
  readonly #reasons: ReadonlyMap<string, string>;
  readonly #print: (line: string) => void;

  constructor(reasons: ReadonlyMap<string, string>, print: (line: string) => void) {
    this.#reasons = reasons;
    this.#print = print;
  }

  /** Something was judged, and nothing is left to do. */
  get passed(): boolean {
    return this.judged > 0 && this.unexplained === 0 && this.#outdated === 0;
  }

  /** Names the mutants that are explained although there are no such any more. */
  missing(every: readonly GeneratedMutant[]): void {
    const ids = new Set(every.map(({ id }) => id));
    for (const id of this.#reasons.keys()) if (!ids.has(id)) this.#outdate(`explained, but gone: ${id}`);
  }

  readonly see = (mutant: GeneratedMutant, { killed, by, tests }: Omit<Verdict, 'number'>, aloud = false): void => {
    const explained = this.#reasons.has(mutant.id);
    this.judged++;
    if (killed) {
      this.noticed++;
      if (aloud) this.#print(`${mutant.id}: noticed by ${by}`);
      if (explained) this.#outdate(`explained, but noticed by ${by}: ${mutant.id}`);
    } else if (!explained) {
      this.unexplained++;
      this.#print(`not noticed by ${tests} tests: ${diffOf(mutant)}`);
    }
  };

  #outdate(line: string): void {
    this.#outdated++;
    this.#print(line);
  }
}

/** The score of each folder, from all verdicts that there are. */
export function scoresOf(
  every: readonly GeneratedMutant[],
  kept: ReadonlyMap<string, boolean>,
  reasons: ReadonlyMap<string, string>,
): readonly string[] {
  return FOLDERS.flatMap((folder) => {
    const within = every.filter(({ file }) => file.startsWith(`${folder}/`));
    const judged = within.filter(({ id }) => kept.has(id));
    const alive = judged.filter(({ id }) => kept.get(id) === false);
    if (judged.length === 0) return [];
    const score = ((100 * (judged.length - alive.length)) / judged.length).toFixed(1);
    const why = alive.filter(({ id }) => reasons.has(id)).length;
    return [`${folder}: ${judged.length} of ${within.length} judged, ${alive.length} alive, ${why} of them explained, score ${score} %`];
  });
}
