import { type Place, placeOf, squeezed, textsOf } from './places.ts';

/** One change by Stryker and its result. White space in texts is collapsed. */
export interface Mutant extends Place {
  readonly file: string;
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
  readonly status: string;
}

/** Why a mutant that no test notices is no fault. */
export type Explanation = Omit<Mutant, 'status'> & { readonly because: string };

interface Position {
  readonly line: number;
  readonly column: number;
}

interface StrykerReport {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: string;
        readonly mutants: readonly {
          readonly mutatorName: string;
          readonly replacement?: string;
          readonly status: string;
          readonly statusReason?: string;
          readonly location: { readonly start: Position; readonly end: Position };
        }[];
      }
    >
  >;
}

/** The prefix of Stryker's message if the test process crashed: the result for that mutant is unknown. */
const CRASHED = /^Test runner crashed/;

/**
 * The mutants of a report in Stryker's JSON, those left out that were never run (ignored, no valid code, or no test could be loaded
 * with it). Status `Unjudged`: Stryker's own process gave up on it.
 */
export function readReport(json: string): readonly Mutant[] {
  const { files } = JSON.parse(json) as StrykerReport;
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const texts = textsOf(file, source);
    return mutants
      .map((mutant) => ({ ...mutant, status: CRASHED.test(mutant.statusReason ?? '') ? 'Unjudged' : mutant.status }))
      .filter(({ status }) => ['Killed', 'Survived', 'Timeout', 'NoCoverage', 'Unjudged'].includes(status))
      .map(({ mutatorName, replacement = '', status, location }) => {
        const [start, end] = [offsetOf(source, location.start), offsetOf(source, location.end)];
        return {
          file,
          ...placeOf(texts, start, end),
          mutator: mutatorName,
          original: squeezed(source.slice(start, end)),
          replacement: squeezed(replacement),
          status,
        };
      });
  });
}

function offsetOf(source: string, { line, column }: Position): number {
  const before = source.split('\n', line - 1);
  return before.reduce((sum, { length }) => sum + length + 1, column - 1);
}

const keyOf = ({ file, symbol, place, mutator, original, replacement }: Omit<Mutant, 'status'>): string =>
  JSON.stringify([file, symbol, place, mutator, original, replacement]);

/** The totals of a run. */
export interface MutationResult {
  readonly mutants: number;
  readonly killed: number;
  readonly timeouts: number;
  readonly survived: number;
  readonly explained: number;
  /** Survivors without an explanation: each is a missing test, or needs one. */
  readonly unexplained: readonly Mutant[];
  /** Mutants with an unknown result because Stryker's process crashed: they are not counted. */
  readonly unjudged: readonly Mutant[];
  /** Explanations of mutants in the files that ran which a test notices by now, or which are gone. */
  readonly outdated: readonly Explanation[];
  /** Percent of the mutants that a test noticed. */
  readonly score: number;
}

/** Compares a run with the explanations. */
export function judgeMutants(all: readonly Mutant[], explanations: readonly Explanation[]): MutationResult {
  const unjudged = all.filter(({ status }) => status === 'Unjudged');
  const mutants = all.filter(({ status }) => status !== 'Unjudged');
  const known = new Set(explanations.map(keyOf));
  const ran = new Set(mutants.map(({ file }) => file));
  const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const alive = new Set([...survivors, ...unjudged].map(keyOf));
  const count = (status: string): number => mutants.filter((mutant) => mutant.status === status).length;
  const unexplained = survivors.filter((mutant) => !known.has(keyOf(mutant)));
  const noticed = count('Killed') + count('Timeout');
  return {
    mutants: mutants.length,
    killed: count('Killed'),
    timeouts: count('Timeout'),
    survived: survivors.length,
    explained: survivors.length - unexplained.length,
    unexplained,
    unjudged,
    outdated: explanations.filter((one) => ran.has(one.file) && !alive.has(keyOf(one))),
    score: mutants.length === 0 ? 0 : Math.round((noticed / mutants.length) * 10_000) / 100,
  };
}
