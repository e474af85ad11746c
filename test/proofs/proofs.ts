import { proofOf, STRENGTHS } from './orders/strength.ts';

/** A proof that runs on its own, through scripts/run.mjs. */
export interface Proof {
  readonly name: string;
  /** As `npm run prove` and `npm run hunt` run it. A proof that draws has a fresh base each time, and prints it. */
  readonly command: readonly string[];
  /** What every change must pass. It is the same in every run: it names its base and ends by count. Absent: not in the gate. */
  readonly gate?: readonly string[];
  /** Programs that npm does not install. A hunt leaves the proof out where one is missing. */
  readonly needs?: readonly string[];
}

/** The base of the gate's runs. */
const BASE = ['--from', '20260101'];

/** A proof that draws nothing. */
const fixed = (name: string, ...command: readonly string[]): Proof => ({ name, command, gate: command });
const project = (name: string): Proof => fixed(name, 'test/proofs/run-project.ts', '--project', name);

/** A proof that draws: the same script at the size of `npm run prove` and, where it is in the gate, at that of a change. */
function drawn(name: string, script: string, size: readonly string[], gate?: readonly string[]): Proof {
  return { name, command: [script, ...size], ...(gate === undefined ? {} : { gate: [script, ...gate] }) };
}
const needing = (proof: Proof, ...needs: readonly string[]): Proof => ({ ...proof, needs });

/** Every proof beside the tests, in the order in which they run. */
export const PROOFS: readonly Proof[] = [
  project('flows-on-dynamo'),
  project('scenarios'),
  project('processes'),
  project('packed-package'),
  drawn('simulation', 'test/proofs/simulation/main.ts', ['--seeds', '200'], ['--seeds', '12', ...BASE]),
  drawn('exhaustive', 'test/proofs/exhaustive/main.ts', ['--pairs', '--firsts', '10'], []),
  drawn('orders', 'test/proofs/orders/main.ts', ['--seconds', '120'], ['--draws', '60', '--most', '60', ...BASE]),
  drawn('orders-strength-1', 'test/proofs/orders/main.ts', ['--strength', '1', '--seconds', '120']),
  drawn('mutants', 'test/proofs/mutants/main.ts', ['--sample', '0'], ['--flows']),
  drawn('generated-mutants', 'test/proofs/mutants/main.ts', ['--generated', '--count', '150', '--seconds', '120']),
  drawn('mutation-core', 'test/proofs/mutation/main.ts', ['--judged']),
  drawn('differential-dynoxide', 'test/proofs/differential/main.ts', ['--operations', '40000'], ['--rounds', '25', ...BASE]),
  needing(drawn('differential-dynamodb-local', 'test/proofs/differential/dynamodb-local.ts', ['--parts', '8']), 'javac'),
  drawn('torture', 'test/proofs/torture/main.ts', ['--seconds', '60']),
  drawn('fuzz', 'test/proofs/fuzz/main.ts', ['--seconds', '60'], ['--hundreds', '8', ...BASE]),
  drawn('schedules', 'test/proofs/schedules/main.ts', [], ['--years', '3', ...BASE]),
  fixed('console', 'test/proofs/browser/main.ts'),
  needing(drawn('templates', 'test/proofs/templates/main.ts', []), 'python3'),
  needing(drawn('localstack', 'test/proofs/emulators/localstack.ts', ['--parts', '15']), 'python3'),
  needing(drawn('ministack', 'test/proofs/deployed/ministack.ts', []), 'python3'),
];

/** What `npm run hunt` runs in turn: every proof that draws or that the gate leaves out, and what is only hunted. */
export const HUNTED: readonly Proof[] = [
  ...PROOFS.filter(({ command, gate }) => command !== gate),
  { name: 'hunted', command: ['test/proofs/run-project.ts', '--project', 'hunted'] },
  { name: 'seeded-tests', command: ['test/proofs/seeded-tests.ts'] },
  { name: 'slow-store', command: ['test/proofs/seeded-tests.ts', '--slow-store'] },
  { name: 'bench', command: ['bench/main.ts', '--short', '--no-compare'], needs: ['redis-server', 'javac'] },
];

/** What docs/reference/reliability.md shows of the figures of a proof. */
export interface ShownFigures {
  /** Of its last run. */
  readonly last?: readonly string[];
  /** Summed up over its runs, each of which draws something else. */
  readonly summed?: readonly string[];
  /** Recorded and not shown beside the promise. */
  readonly kept?: readonly string[];
}

/** A run also says which pairs it walked, of how many, for the table of the strengths. */
const PAIRS_OF_A_STRENGTH: ShownFigures = { summed: ['pairs', 'walks', 'orders', 'capped', 'violations'], kept: ['of', 'reach', 'cut'] };

/** Of a proof that is not named, all figures of its last run are shown. */
export const SHOWN_FIGURES: Readonly<Record<string, ShownFigures>> = {
  'flows-on-dynamo': { last: ['tests', 'failures'] },
  scenarios: { last: ['tests', 'failures'] },
  processes: { last: ['tests', 'failures'] },
  'packed-package': { last: ['tests', 'failures'] },
  simulation: { summed: ['seeds', 'operations', 'faults', 'violations'] },
  exhaustive: { last: ['flows', 'points', 'singles'], summed: ['pairs', 'violations'] },
  orders: { summed: ['pairs', 'walks', 'orders', 'violations'] },
  ...Object.fromEntries(STRENGTHS.map((strength) => [proofOf(strength), PAIRS_OF_A_STRENGTH])),
  mutants: { last: ['mutants', 'caught', 'survivors'] },
  'generated-mutants': { summed: ['mutants', 'noticed'] },
  'mutation-core': { last: ['mutants', 'killed', 'survived', 'explained'] },
  'differential-dynoxide': { last: ['kinds'], summed: ['operations', 'sequences', 'differences'] },
  'differential-dynamodb-local': { last: ['kinds'], summed: ['operations', 'sequences', 'differences'] },
  'dynamodb-local': { last: ['version', 'share', 'tests', 'failures'] },
  torture: { summed: ['accepted', 'kills', 'freezes', 'timeouts', 'lost', 'doubleCompletions', 'groupOverlaps'] },
  fuzz: { last: ['targets'], summed: ['inputs'] },
  schedules: { last: ['years'], summed: ['occurrences', 'differences'] },
  console: { last: ['version', 'tests', 'pages', 'actions', 'vectors'] },
  templates: { last: ['cfnLint', 'checkov', 'resources', 'checks', 'accepted'] },
  localstack: { last: ['version', 'steps', 'flowShare', 'flowTests', 'acquirerTicks', 'sweeperTicks'] },
  ministack: { last: ['version', 'steps', 'resources', 'jobs'] },
};

/** Whether runs of a proof add up. */
export function isSummed(proof: string): boolean {
  return SHOWN_FIGURES[proof]?.summed !== undefined;
}

/** The figures of a proof that are shown; undefined: all of them. */
export function shownNames(proof: string): readonly string[] | undefined {
  const shown = SHOWN_FIGURES[proof];
  return shown && [...(shown.last ?? []), ...(shown.summed ?? []), ...(shown.kept ?? [])];
}
