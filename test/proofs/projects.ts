/** A part of the tests, as Vitest's `--project` selects it. */
export interface TestProject {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  readonly isolate?: boolean;
  readonly maxWorkers?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const under = (folder: string, names: readonly string[]): readonly string[] => names.map((name) => `test/${folder}/${name}.test.ts`);

/** Hours of simulated time, whole measurements, and walks over every fault or order. */
const SCENARIOS: readonly string[] = [
  ...under('proofs/scenarios', ['load', 'recovery', 'fairness', 'outside-deaths', 'batches', 'restores']),
  ...under('proofs/simulation', ['simulation', 'shrink-seed', 'outside/outside-groups', 'workload/outsiders']),
  ...under('proofs/exhaustive', ['exhaustive']),
  ...under('proofs/orders', ['orders']),
  ...under('proofs/mutants', ['mutants', 'generated/generated']),
  ...under('proofs/differential', ['differential']),
  ...under('releases', ['two-releases', 'newer-schedules']),
  ...under('bench', ['scale', 'scale-measurements', 'overhead', 'tuning']),
  ...under('flow', ['restore']),
  ...under('faults', ['duplicates', 'fenced-verbs', 'frozen-producer']),
];

/** What only hunts depend on: seeds of mutants, which any change of the requests shifts, and the strengths of orders. */
const HUNTED: readonly string[] = [...under('proofs/mutants', ['only-by']), ...under('proofs/orders', ['covering'])];

/** What runs in real time, each file in a process of its own: local regions, and commands that a test starts as a user would. */
const PROCESSES: readonly string[] = [
  ...under('local', ['lifecycle', 'start', 'region', 'region-processes', 'outside-process', 'child-process-runtime', 'lanes', 'schedules']),
  ...under('examples', ['outside-worker', 'own-store', 'own-store-locks']),
  ...under('cli', ['operate-region', 'optional-packages']),
  ...under('bench', ['cold-start']),
  ...under('scripts', ['run']),
  ...under('faults', ['black-hole', 'wire/executor', 'wire/sqs']),
  ...under('infra', ['bundle']),
  // Measures its process.
  ...under('proofs/fuzz', ['fuzz']),
];

/** What is built, packed, installed and used with other versions of Node and TypeScript. */
const PACKAGE: readonly string[] = ['test/proofs/package/**/*.test.ts'];

/** What guards the process that it runs in, and so needs one of its own. */
const ALONE: readonly string[] = ['test/unit/config/before-process-ends.test.ts'];

/** What loads the CDK: its modules are large, and are loaded once in each process of these alone. */
const INFRA: readonly string[] = [
  'test/infra/**/*.test.ts',
  'test/options/**/*.test.ts',
  ...under('examples', ['lanes', 'schedules']),
  ...under('architecture', ['exports']),
  ...under('proofs/emulators', ['deployable-part']),
];

/** Those of test/proofs/browser need a browser of the system and have a configuration of their own: `npm run prove -- console`. */
const BROWSER = 'test/proofs/browser/**';

const SLOW: readonly TestProject[] = [
  // The flows and races once more, on DynamoDB's own conditions and transactions.
  {
    name: 'flows-on-dynamo',
    include: ['test/{flow,race}/**/*.test.ts', 'test/features/*/{flow,race}/*.test.ts'],
    env: { NIGHTCREW_TEST_TABLES: 'dynamo' },
  },
  { name: 'scenarios', include: SCENARIOS },
  { name: 'processes', include: PROCESSES, isolate: true },
  { name: 'packed-package', include: PACKAGE },
  { name: 'hunted', include: HUNTED },
];

/** The projects of which each is a proof of its own. */
export const SLOW_PROJECTS: readonly string[] = SLOW.map(({ name }) => name);

/** All tests: `npm test` runs the projects that begin with `fast`, `npm run prove` the others. */
export const PROJECTS: readonly TestProject[] = [
  {
    name: 'fast',
    include: ['test/**/*.test.ts'],
    exclude: [BROWSER, ...INFRA, ...ALONE, ...SCENARIOS, ...PROCESSES, ...PACKAGE, ...HUNTED],
  },
  // Each of its processes loads the CDK first, which is a third of what its tests take.
  { name: 'fast-infra', include: INFRA, exclude: PROCESSES, maxWorkers: 2 },
  { name: 'fast-alone', include: ALONE, isolate: true },
  ...SLOW,
];
