import { availableParallelism } from 'node:os';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { type Base, baseLine, FROM, FROM_USAGE, readBase } from '../../support/base-seed.ts';
import { FLAG, readArguments, TEXT, wholeNumber } from '../../support/command-line.ts';
import { recordFigures } from '../../support/figures.ts';
import { coverage } from './coverage.ts';
import { explained } from './explained.ts';
import { fastTestFiles } from './fast-tests.ts';
import { judgeInProcesses } from './judge-mutants.ts';
import { keepVerdict, keptVerdicts } from './kept-verdicts.ts';
import { FOLDERS, type GeneratedMutant, mutatedFiles, mutantsOf } from './mutants.ts';
import { figuresOf, Score, scoresOf, scoreText } from './score.ts';

/** What `npm run mutants -- --generated --help` prints. */
export const GENERATED_USAGE = `Usage: npm run mutants -- --generated [options]

Edits ${FOLDERS.join(', ')}
one edit at a time, in every way that takes a promise back, and sees whether a fast test notices. Exit code 1 for one that no test
notices and that test/mutants/generated/explained does not explain.

  ${FROM_USAGE}
  --seconds N    for how long edits are drawn (default 120)
  --all          every one, going on where it was stopped; tells the score of each folder
  --again        with --all: those once more that no test noticed
  --general      also those of any mutation test (comparisons, branches, properties), of which nothing is promised
  --folder F     only sources whose path begins so
  --mutant ID    only this one; may be given several times
  --tests T      only test files whose path begins so; may be given several times
  --processes N  shares them out (default 2)
  --help         prints this
`;
const SEVERAL = { type: 'string', multiple: true } as const;
const OPTIONS = {
  generated: FLAG,
  ...FROM,
  seconds: TEXT,
  all: FLAG,
  again: FLAG,
  general: FLAG,
  folder: TEXT,
  mutant: SEVERAL,
  tests: SEVERAL,
  processes: TEXT,
} as const;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Judges edits that nobody chose; resolves to the exit code. */
export async function judgeGenerated(args: readonly string[]): Promise<number> {
  const {
    all = false,
    again = false,
    general = false,
    folder = '',
    mutant: ids,
    tests,
    seconds = '120',
    ...values
  } = readArguments(args, OPTIONS);
  const startedAt = Date.now();
  const processes = values.processes === undefined ? Math.min(2, availableParallelism()) : wholeNumber('processes', values.processes);
  const known = mutatedFiles().flatMap((file) => mutantsOf(file).mutants);
  const every = known.filter(({ vital }) => general || vital || ids !== undefined);
  const reasons = explained();
  const score = new Score(reasons, print);
  score.missing(known);
  const within = every.filter((one) => one.file.startsWith(folder) && (ids === undefined || ids.includes(one.id)));
  const files = fastTestFiles().filter((file) => tests === undefined || tests.some((start) => file.startsWith(start)));
  const covered = await coverage(files, { processes, say: print });

  if (ids !== undefined) {
    await judgeInProcesses(within, processes, { covered, see: (one, verdict) => score.see(one, verdict, true) });
  } else if (all) {
    const kept = keptVerdicts(every);
    const left = within.filter(({ id }) => !kept.has(id) || (again && kept.get(id) === false));
    print(`${left.length} of ${within.length} mutants are left to judge`);
    const see: typeof score.see = (one, verdict) => {
      keepVerdict(one, verdict);
      score.see(one, verdict);
    };
    await judgeInProcesses(left, processes, { covered, see });
    const scores = scoresOf(every, keptVerdicts(every), reasons);
    for (const one of scores) print(scoreText(one));
    const figures = general ? undefined : figuresOf(scores, every.length);
    if (figures !== undefined) recordFigures('mutants-generated', figures);
  } else {
    const base = readBase(values.from);
    print(baseLine(base, 'mutants', args));
    const drawn = shuffled(within, base).filter(({ id, atLoad }) => !atLoad && !reasons.has(id));
    const until = Date.now() + wholeNumber('seconds', seconds) * 1_000;
    await judgeInProcesses(drawn, processes, { covered, until, see: (one, verdict) => score.see(one, verdict) });
  }
  const took = Math.round((Date.now() - startedAt) / 1_000);
  print(`${score.judged} mutants judged, ${score.noticed} noticed, ${score.unexplained} neither noticed nor explained, ${took} s`);
  return score.passed || (all && score.judged === 0) ? 0 : 1;
}

function shuffled(mutants: readonly GeneratedMutant[], { from }: Base): readonly GeneratedMutant[] {
  const entropy = seededEntropy(from);
  const drawn = mutants.map((mutant) => ({ mutant, at: entropy.random() }));
  return drawn.toSorted((a, b) => a.at - b.at).map(({ mutant }) => mutant);
}
