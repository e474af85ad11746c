/** A proof that runs on its own, through scripts/run.mjs. */
export interface Proof {
  readonly name: string;
  readonly command: readonly string[];
}

/** Every proof beside the tests, in the order in which a change has to pass them, in the size that a change has to pass. */
export const PROOFS: readonly Proof[] = [
  { name: 'simulation', command: ['test/simulation/main.ts', '--seeds', '400'] },
  { name: 'exhaustive', command: ['test/exhaustive/main.ts', '--pairs', '--firsts', '16'] },
  { name: 'mutants', command: ['test/mutants/main.ts'] },
  { name: 'mutation-core', command: ['test/mutation/main.ts', '--judged'] },
  { name: 'differential-dynoxide', command: ['test/differential/main.ts', '--operations', '60000', '--seed', '1'] },
  { name: 'differential-dynamodb-local', command: ['test/differential/dynamodb-local.ts', '--share', '1/5'] },
  { name: 'torture', command: ['test/torture/main.ts', '--seconds', '40', '--seed', '1'] },
  { name: 'fuzz', command: ['test/fuzz/main.ts', '--seconds', '40', '--seed', '1'] },
  { name: 'schedules', command: ['test/schedules/main.ts'] },
  { name: 'console', command: ['test/browser/main.ts'] },
  { name: 'localstack', command: ['test/emulators/localstack.ts', '--share', '1/9'] },
  { name: 'ministack', command: ['test/deployed/ministack.ts'] },
];

/** Which figures docs/reliability.md shows of a proof; all of them where none are named. */
export const SHOWN_FIGURES: Readonly<Record<string, readonly string[]>> = {
  simulation: ['seeds', 'operations', 'faults', 'violations'],
  exhaustive: ['flows', 'points', 'singles', 'pairs', 'violations'],
  mutants: ['mutants', 'caught', 'survivors'],
  'mutation-core': ['mutants', 'killed', 'survived', 'explained'],
  'differential-dynoxide': ['operations', 'sequences', 'kinds', 'differences'],
  'differential-dynamodb-local': ['operations', 'sequences', 'kinds', 'differences'],
  'dynamodb-local': ['version', 'share', 'tests', 'failures'],
  torture: ['accepted', 'kills', 'freezes', 'timeouts', 'lost', 'doubleCompletions', 'groupOverlaps'],
  fuzz: ['inputs', 'targets'],
  schedules: ['zones', 'years', 'occurrences', 'differences'],
  console: ['version', 'tests', 'pages', 'actions', 'vectors'],
  localstack: ['version', 'steps', 'flowShare', 'flowTests', 'acquirerTicks', 'sweeperTicks'],
  ministack: ['version', 'steps', 'resources', 'jobs'],
};
