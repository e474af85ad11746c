/** A proof that runs on its own, through scripts/run.mjs. */
export interface Proof {
  readonly name: string;
  readonly command: readonly string[];
}

/** Every proof beside the tests, in the order in which a change has to pass them, in the size that a change has to pass. */
export const PROOFS: readonly Proof[] = [
  { name: 'flows-on-dynamo', command: ['test/proofs/run-project.ts', '--project', 'flows-on-dynamo', '--parts', '4'] },
  { name: 'scenarios', command: ['test/proofs/run-project.ts', '--project', 'scenarios'] },
  { name: 'processes', command: ['test/proofs/run-project.ts', '--project', 'processes'] },
  { name: 'packed-package', command: ['test/proofs/run-project.ts', '--project', 'packed-package'] },
  { name: 'simulation', command: ['test/proofs/simulation/main.ts', '--seeds', '120'] },
  { name: 'exhaustive', command: ['test/proofs/exhaustive/main.ts', '--pairs', '--firsts', '10'] },
  { name: 'orders', command: ['test/proofs/orders/main.ts', '--seconds', '60'] },
  { name: 'mutants', command: ['test/proofs/mutants/main.ts', '--sample', '2'] },
  { name: 'generated-mutants', command: ['test/proofs/mutants/main.ts', '--generated', '--count', '150', '--seconds', '40'] },
  { name: 'mutation-core', command: ['test/proofs/mutation/main.ts', '--judged'] },
  { name: 'differential-dynoxide', command: ['test/proofs/differential/main.ts', '--operations', '40000'] },
  { name: 'differential-dynamodb-local', command: ['test/proofs/differential/dynamodb-local.ts', '--parts', '8'] },
  { name: 'torture', command: ['test/proofs/torture/main.ts', '--seconds', '40'] },
  { name: 'fuzz', command: ['test/proofs/fuzz/main.ts', '--seconds', '40'] },
  { name: 'schedules', command: ['test/proofs/schedules/main.ts'] },
  { name: 'console', command: ['test/proofs/browser/main.ts'] },
  { name: 'localstack', command: ['test/proofs/emulators/localstack.ts', '--parts', '15'] },
  { name: 'ministack', command: ['test/proofs/deployed/ministack.ts'] },
];

/** What docs/reference/reliability.md shows of the figures of a proof. */
export interface ShownFigures {
  /** Of its last run. */
  readonly last?: readonly string[];
  /** Summed up over its runs, each of which draws something else. */
  readonly summed?: readonly string[];
}

/** Of a proof that is not named, all figures of its last run are shown. */
export const SHOWN_FIGURES: Readonly<Record<string, ShownFigures>> = {
  'flows-on-dynamo': { last: ['share', 'tests', 'failures'] },
  scenarios: { last: ['tests', 'failures'] },
  processes: { last: ['tests', 'failures'] },
  'packed-package': { last: ['tests', 'failures'] },
  simulation: { summed: ['seeds', 'operations', 'faults', 'violations'] },
  exhaustive: { last: ['flows', 'points', 'singles'], summed: ['pairs', 'violations'] },
  orders: { summed: ['pairs', 'walks', 'orders', 'violations'] },
  mutants: { last: ['mutants', 'caught', 'survivors'] },
  'generated-mutants': { summed: ['mutants', 'noticed'] },
  'mutation-core': { last: ['mutants', 'killed', 'survived', 'explained'] },
  'differential-dynoxide': { last: ['kinds'], summed: ['operations', 'sequences', 'differences'] },
  'differential-dynamodb-local': { last: ['kinds'], summed: ['operations', 'sequences', 'differences'] },
  'dynamodb-local': { last: ['version', 'share', 'tests', 'failures'] },
  torture: { summed: ['accepted', 'kills', 'freezes', 'timeouts', 'lost', 'doubleCompletions', 'groupOverlaps'] },
  fuzz: { last: ['targets'], summed: ['inputs'] },
  schedules: { last: ['zones', 'years', 'occurrences'], summed: ['differences'] },
  console: { last: ['version', 'tests', 'pages', 'actions', 'vectors'] },
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
  return shown && [...(shown.last ?? []), ...(shown.summed ?? [])];
}
