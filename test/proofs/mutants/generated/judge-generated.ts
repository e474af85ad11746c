import { availableParallelism } from 'node:os';
import { type Base, baseLine, FROM, FROM_USAGE, readBase } from '../../../support/base-seed.ts';
import { FLAG, readArguments, TEXT, wholeNumber } from '../../../../scripts/command-line.ts';
import { recordFailure, recordFigures } from '../../../support/figures.ts';
import { coverage } from './coverage.ts';
import { explained } from './explained.ts';
import { fastTestFiles } from './fast-tests.ts';
import type { Covered } from './judge/orders.ts';
import { judgeInProcesses } from './judge-mutants.ts';
import { keepVerdict, keptVerdicts } from './kept-verdicts.ts';
import { FOLDERS, type GeneratedMutant, mutatedFiles, mutantsOf } from './mutants.ts';
import { noteNoticing } from './noticing.ts';
import { judgeSample, sampleOf } from './sample.ts';
import { figuresOf, Score, scoresOf, scoreText } from './score.ts';

/** The output of `npm run mutants -- --generated --help`. */
export const GENERATED_USAGE = `Usage: npm run mutants -- --generated [options]

Edits ${FOLDERS.join(', ')}
one edit at a time, in every way that takes a promise back, and sees whether a fast test notices. Exit code 1 for one that no test
notices and that test/proofs/mutants/generated/explained does not explain.

  ${FROM_USAGE}
  --count N      how many edits are drawn (default 100)
  --seconds N    for how long edits are judged at most (default 600)
  --all          every one, going on where it was stopped; tells the score of each folder
  --again        with --all: those once more that no test noticed
  --general      also those of any mutation test (comparisons, branches, properties), of which nothing is promised
  --folder F     only sources whose path begins so
  --files LIST   only these sources, with commas between them
  --mutant ID    only this one; may be given several times
  --tests T      only test files whose path begins so; may be given several times
  --processes N  shares them out (default 2)
  --help         prints this
`;
const SEVERAL = { type: 'string', multiple: true } as const;
const OPTIONS = {
  generated: FLAG,
  ...FROM,
  count: TEXT,
  seconds: TEXT,
  all: FLAG,
  again: FLAG,
  general: FLAG,
  folder: TEXT,
  files: TEXT,
  mutant: SEVERAL,
  tests: SEVERAL,
  processes: TEXT,
} as const;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Judges generated edits; resolves to the exit code. */
export async function judgeGenerated(args: readonly string[]): Promise<number> {
  const values = readArguments(args, OPTIONS);
  const { all = false, again = false, general = false, folder = '', mutant: ids, tests, count = '100', seconds = '600' } = values;
  const startedAt = Date.now();
  const processes = values.processes === undefined ? Math.min(2, availableParallelism()) : wholeNumber('processes', values.processes);
  const known = mutatedFiles().flatMap((file) => mutantsOf(file).mutants);
  const every = known.filter(({ vital }) => general || vital || ids !== undefined);
  const reasons = explained();
  const score = new Score(reasons, print);
  score.missing(known);
  const sources = values.files?.split(',');
  const within = every.filter(
    ({ id, file }) => file.startsWith(folder) && sources?.includes(file) !== false && ids?.includes(id) !== false,
  );
  const files = fastTestFiles().filter((file) => tests === undefined || tests.some((start) => file.startsWith(start)));
  const coverAll = async (): Promise<readonly Covered[]> => coverage(files, { processes, say: print });
  const sum = (): string => `${score.judged} mutants judged, ${score.noticed} noticed, ${score.unexplained} neither noticed nor explained`;

  let base: Base | undefined;
  if (ids !== undefined) {
    await judgeInProcesses(within, processes, {
      covered: await coverAll(),
      see: (one, verdict) => score.see(one, verdict, true),
      giveUp: score.giveUp,
    });
  } else if (all) {
    const kept = keptVerdicts(every);
    const left = within.filter(({ id }) => !kept.has(id) || (again && kept.get(id)?.killed === false));
    print(`${left.length} of ${within.length} mutants are left to judge`);
    const see: typeof score.see = (one, verdict) => {
      keepVerdict(one, verdict);
      score.see(one, verdict);
    };
    await judgeInProcesses(left, processes, { covered: await coverAll(), see, giveUp: score.giveUp });
    tellScores(every, { general, reasons });
  } else {
    base = readBase(values.from);
    print(baseLine(base, 'mutants', args));
    const candidates = within.filter(({ id, atLoad }) => !atLoad && !reasons.has(id));
    const drawn = sampleOf(candidates, base, wholeNumber('count', count));
    await judgeSample(drawn, { processes, seconds: wholeNumber('seconds', seconds), score, print });
  }
  print(`${sum()}, ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  const passed = score.passed || (all && score.judged === 0);
  if (base !== undefined && folder === '' && !general) {
    if (passed) recordFigures('generated-mutants', { mutants: score.judged, noticed: score.noticed }, base);
    else if (score.judged > 0) recordFailure('generated-mutants', base);
  }
  return passed ? 0 : 1;
}

/** The score of each folder; noted when there is nothing left to judge or to explain. */
function tellScores(
  every: readonly GeneratedMutant[],
  { general, reasons }: { readonly general: boolean; readonly reasons: ReadonlyMap<string, string> },
): void {
  const kept = keptVerdicts(every);
  const scores = scoresOf(every, kept, reasons);
  for (const one of scores) print(scoreText(one));
  if (general) return;
  noteNoticing(every, kept);
  const figures = figuresOf(scores, every.length);
  if (figures !== undefined) recordFigures('generated-mutants-all', figures);
}
