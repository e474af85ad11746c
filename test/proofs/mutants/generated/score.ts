import type { Figures } from '../../../support/figures.ts';
import { diffOf } from './diff-of.ts';
import type { Verdict } from './judge/orders.ts';
import type { KeptVerdict } from './kept-verdicts.ts';
import { FOLDERS, type GeneratedMutant } from './mutants.ts';

/** Counts verdicts, and shows each mutant that no test notices and that is not explained. */
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

  readonly giveUp = ({ id }: GeneratedMutant, test: string): void => {
    this.#print(`not judged, because after it a test fails without it as well: ${id}: ${test}`);
  };

  #outdate(line: string): void {
    this.#outdated++;
    this.#print(line);
  }
}

/** The verdicts on the mutants of a folder. `explained` are those of `alive` with an explanation. */
export interface FolderScore {
  readonly folder: string;
  readonly mutants: number;
  readonly judged: number;
  readonly alive: number;
  readonly explained: number;
}

/** The score of each folder in which something was judged, from all verdicts that there are. */
export function scoresOf(
  every: readonly GeneratedMutant[],
  kept: ReadonlyMap<string, KeptVerdict>,
  reasons: ReadonlyMap<string, string>,
): readonly FolderScore[] {
  const scores = FOLDERS.map((folder): FolderScore => {
    const within = every.filter(({ file }) => file.startsWith(`${folder}/`));
    const alive = within.filter(({ id }) => kept.get(id)?.killed === false);
    return {
      folder,
      mutants: within.length,
      judged: within.filter(({ id }) => kept.has(id)).length,
      alive: alive.length,
      explained: alive.filter(({ id }) => reasons.has(id)).length,
    };
  });
  return scores.filter(({ judged }) => judged > 0);
}

/** A score for people. */
export const scoreText = ({ folder, mutants, judged, alive, explained }: FolderScore): string =>
  `${folder}: ${judged} of ${mutants} judged, ${alive} alive, ${explained} of them explained, score ${percentNoticed(judged, alive)}`;

/** The result of a run over everything, by folder; undefined while anything is unjudged or unexplained. */
export function figuresOf(scores: readonly FolderScore[], mutants: number): Figures | undefined {
  const sum = (key: 'judged' | 'alive' | 'explained'): number => scores.reduce((total, score) => total + score[key], 0);
  if (sum('judged') < mutants || sum('explained') < sum('alive')) return undefined;
  const byFolder = scores.map(({ folder, judged, alive }) => [folder, percentNoticed(judged, alive)]);
  return { mutants, noticed: sum('judged') - sum('alive'), explained: sum('explained'), ...Object.fromEntries(byFolder) };
}

const percentNoticed = (judged: number, alive: number): string => `${((100 * (judged - alive)) / judged).toFixed(1)} %`;
