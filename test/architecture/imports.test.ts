import { describe, expect, test } from 'vitest';
import { featureNames, importsOf, type SourceFile, sourceFiles } from './source-files.ts';

const FEATURES = featureNames();

/** The only lines by which a feature knows another: `from` uses `to`. */
const CROSS_LINES: readonly (readonly [from: string, to: string])[] = [
  ['limits/admin', 'rules/store/rules.ts'],
  ['limits/admin', 'workers/store/worker-rows.ts'],
  ['retention/store', 'error-groups/store/error-group-rows.ts'],
  ['schedules/admin', 'workers/store/worker-rows.ts'],
  ['workers/admin', 'rules'],
];

/** What the verbs of a feature need of the admin. */
const OPERATOR = ['shared/operator', 'shared/features/operator-records.ts'];

/** What one layer of a feature may import: its own layers below, the kernel, and what its line above says. */
function featureLayer(feature: string, layer: string, below: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  const own = below.map((one) => (one.startsWith('shared/') ? one : `shared/features/${feature}/${one}`));
  const crossed = CROSS_LINES.filter(([from]) => from === `${feature}/${layer}`).map(([, to]) => `shared/features/${to}`);
  return [[`shared/features/${feature}/${layer}`, [...own, ...crossed, 'shared/job', 'shared/ports']]];
}

const FEATURE_LAYERS = Object.fromEntries(
  FEATURES.flatMap((feature) => [
    ...featureLayer(feature, 'model', ['shared/job']),
    ...featureLayer(feature, 'store', ['model', 'shared/store']),
    ...featureLayer(feature, 'client', ['model', 'store', 'shared/store', 'shared/client']),
    ...featureLayer(feature, 'admin', ['model', 'store', 'shared/store', ...OPERATOR]),
  ]),
);

/** What more than one adapter needs. */
const OF_ALL_ADAPTERS = ['shared/adapters/system.ts', 'shared/adapters/batching'];

/** What the files of a folder may import from other folders; the longest folder that matches decides. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  ...FEATURE_LAYERS,
  // The registry of what features add to an ending: the only file of the kernel that names them.
  'shared/store/endings.ts': ['shared/job', 'shared/ports', 'shared/features', 'shared/store/group-places.ts'],
  // The registry of what features do around a burial.
  'shared/store/burials.ts': ['shared/job', 'shared/ports', 'shared/store', 'shared/features'],
  // The registry of what records an operator's act.
  'shared/features/operator-records.ts': ['shared/ports', 'shared/features/audit/store'],
  'shared/job': [],
  'shared/ports': ['shared/job'],
  'shared/config': ['shared/job', 'shared/ports'],
  'shared/store': ['shared/job', 'shared/ports'],
  'shared/adapters/system.ts': ['shared/job', 'shared/ports'],
  'shared/adapters/batching': [],
  'shared/adapters/dynamodb': ['shared/job', 'shared/ports', 'shared/adapters/aws', ...OF_ALL_ADAPTERS],
  'shared/adapters/sqs': ['shared/job', 'shared/ports', 'shared/adapters/aws', ...OF_ALL_ADAPTERS, 'shared/config/environment.ts'],
  'shared/adapters/eventbridge': ['shared/job', 'shared/ports', 'shared/adapters/aws'],
  // The timeouts of a socket are the machine's time, whatever clock a verb is handed.
  'shared/adapters/aws': ['shared/job', 'shared/ports', 'shared/adapters/system.ts'],
  // What connects a function to AWS; its files are in the list of compositions below.
  'shared/lambda': ['shared/job', 'shared/ports', 'shared/config', 'shared/adapters/system.ts'],
  'shared/adapters/memory': ['shared/job', 'shared/ports', 'shared/config/environment.ts'],
  // The door for adapters of one's own: they are as strict as the tables in memory.
  'shared/adapters/own': ['shared/job', 'shared/ports', 'shared/adapters/memory'],
  'shared/adapters/observability': ['shared/job', 'shared/ports', 'shared/config', 'shared/adapters/system.ts'],
  'shared/adapters/s3': ['shared/job', 'shared/ports', 'shared/adapters/aws', 'shared/adapters/system.ts', 'shared/config'],
  'shared/adapters/opentelemetry': ['shared/job', 'shared/ports', 'shared/config/package-version.ts'],
  'shared/client': ['shared/job', 'shared/ports', 'shared/store', 'shared/features', 'shared/config/environment.ts'],
  'shared/operator': ['shared/job', 'shared/ports', 'shared/config/environment.ts'],
  operate: [
    'shared/job',
    'shared/ports',
    'shared/store',
    'shared/features',
    'shared/operator',
    'shared/config',
    'shared/adapters/system.ts',
  ],
  testing: ['shared', 'functions', 'operate'],
  functions: ['shared/job', 'shared/ports', 'shared/store', 'shared/features', 'shared/config/settings.ts', 'shared/config/environment.ts'],
  // A follow-up of a handler is drafted as the client drafts a job.
  'functions/executor': [
    'shared/job',
    'shared/ports',
    'shared/store',
    'shared/features',
    'shared/config/environment.ts',
    'shared/config/settings.ts',
    'shared/client/draft.ts',
    'shared/client/job-draft.ts',
    'shared/client/enqueue.ts',
  ],
  'functions/worker': [
    'functions/executor',
    'shared/job',
    'shared/ports',
    'shared/store',
    'shared/features',
    'shared/config/environment.ts',
    'shared/config/settings.ts',
  ],
  // Enqueues as a client does, and lists as an operator does.
  'functions/api': ['functions/executor', 'functions/worker', 'shared/job', 'shared/ports', 'shared/client', 'operate/jobs'],
  // The door, with the functions of a deployment without the construct.
  'functions/index.ts': ['functions', 'shared/job'],
  infra: [
    'shared/job/closest-name.ts',
    'shared/job/defined.ts',
    'shared/job/lanes.ts',
    'shared/job/option-checks.ts',
    'shared/job/worker-names.ts',
    'shared/features/schedules/model/definition.ts',
    'shared/ports/table-spec.ts',
    'shared/ports/tables.ts',
    'shared/config',
    'shared/adapters/observability/names.ts',
  ],
  examples: [
    'shared/index.ts',
    'functions/index.ts',
    'operate/index.ts',
    'testing/index.ts',
    'shared/adapters/own/index.ts',
    'shared/adapters/opentelemetry/index.ts',
    'shared/adapters/s3/index.ts',
    'infra/index.ts',
  ],
  local: ['shared', 'functions', 'operate', 'examples', 'console', 'infra/setting-names.ts', 'infra/esbuild-bundle.ts'],
  cli: ['shared', 'operate', 'functions/index.ts', 'functions/worker', 'console'],
  console: ['shared', 'operate'],
  bench: [
    'shared',
    'operate',
    'testing',
    'functions',
    'local',
    'test/support',
    'cli/cost/unit-counts.ts',
    'cli/cost/prices.ts',
    'infra/esbuild-bundle.ts',
    'infra/event-references.ts',
  ],
  scripts: ['shared', 'operate', 'functions/api', 'infra', 'cli', 'bench/frame', 'bench/page'],
  test: ['shared', 'functions', 'operate', 'testing', 'infra', 'local', 'examples', 'scripts', 'cli', 'console', 'bench'],
};

/** The files that wire adapters to ports; they may import every adapter. */
const COMPOSITION = [
  'shared/index.ts',
  'shared/lambda/connect.ts',
  'shared/lambda/connect-source.ts',
  'shared/lambda/bus-sinks.ts',
  'shared/lambda/connect-events.ts',
  'shared/lambda/connect-sums.ts',
  'shared/lambda/lambda-handler.ts',
  'shared/client/create-job-client.ts',
  'functions/executor/create-executor.ts',
  'functions/index.ts',
  'functions/worker/run-worker.ts',
  'functions/worker/external/create-external.ts',
  'operate/create-admin.ts',
  'operate/index.ts',
  'functions/acquirer/create-acquirer.ts',
  'functions/acquirer/handler.ts',
  'functions/sweeper/create-sweeper.ts',
  'functions/sweeper/handler.ts',
  'functions/cleaner/create-cleaner.ts',
  'functions/api/create-http-api.ts',
  'functions/api/handler.ts',
];
const ADAPTERS = [
  'shared/lambda',
  'shared/adapters/system.ts',
  'shared/adapters/aws',
  'shared/adapters/dynamodb',
  'shared/adapters/sqs',
  'shared/adapters/eventbridge',
  'shared/adapters/s3',
  'shared/adapters/observability',
  'shared/config',
  'shared/client',
  'operate',
  'shared/job',
  // The event log is rows of History.
  'shared/store',
  'shared/features',
];

const files = sourceFiles();
const isWithin = (target: string, place: string): boolean => target === place || target.startsWith(`${place}/`);
const folderOf = (path: string): string | undefined =>
  Object.keys(LAYERS)
    .filter((folder) => isWithin(path, folder))
    .toSorted((a, b) => b.length - a.length)[0];

function strayImports(file: SourceFile): readonly string[] {
  const own = folderOf(file.path);
  if (own === undefined) return file.path === 'shared/index.ts' ? [] : [`${file.path} lies outside the layers`];
  const allowed = [...(LAYERS[own] ?? []), ...(COMPOSITION.includes(file.path) ? ADAPTERS : []), own];
  return importsOf(file)
    .filter(({ target }) => /^[\w-]+\/.*\.(ts|mjs)$/.test(target))
    .filter(({ target }) => !allowed.some((place) => isWithin(target, place)))
    .map(({ target }) => `${file.path} imports ${target}`);
}

/** The files that a file pulls in when it runs, types left out. */
function reachedFrom(path: string): ReadonlySet<string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  for (const open = [path]; open.length > 0;) {
    const next = open.pop() ?? '';
    const file = byPath.get(next);
    if (file === undefined || reached.has(next)) continue;
    reached.add(next);
    open.push(...importsOf(file).flatMap(({ target, typeOnly }) => (typeOnly ? [] : [target])));
  }
  return reached;
}

describe('imports', () => {
  test('point inward: each folder takes only from the layers below it', () => expect(files.flatMap(strayImports)).toEqual([]));

  test('of a producer pull in no worker, no infra and no function', () => {
    const reached = [...reachedFrom('shared/index.ts')];
    expect(reached.length).toBeGreaterThan(20);
    expect(reached.filter((path) => /^(shared\/adapters\/memory|operate|testing|infra|functions|local)\//.test(path))).toEqual([]);
  });

  test('of the functions pull in no infra, no test and nothing of the local region', () => {
    const handlers = files.map((file) => file.path).filter((path) => /^functions\/\w+\/handler\.ts$/.test(path));
    expect(handlers.length).toBeGreaterThan(1);
    for (const handler of handlers) {
      expect([...reachedFrom(handler)].filter((path) => /^(infra|test|local|shared\/adapters\/memory|testing)\//.test(path))).toEqual([]);
    }
  });

  test('of the core’s own tests pull in no more than a mutation run copies', () => {
    const tests = files.map(({ path }) => path).filter((path) => /^test\/(unit\/job|features\/[^/]+\/model)\//.test(path));
    expect(tests.length).toBeGreaterThan(50);
    const copied = /^(shared|test\/(unit|features|support|proofs\/mutation))\//;
    const stray = tests.flatMap((path) => [...reachedFrom(path)].filter((one) => !copied.test(one)).map((one) => `${path} reaches ${one}`));
    expect(stray).toEqual([]);
  });

  test('name files that there are', () => {
    const paths = new Set(files.map((file) => file.path));
    const missing = files.flatMap((file) =>
      importsOf(file)
        .filter(
          ({ target }) =>
            /^(shared|functions|operate|testing|infra|local|examples|scripts|bench|cli|console|test)\/.*\.(ts|mjs)$/.test(target) &&
            !paths.has(target),
        )
        .map(({ target }) => `${file.path} imports ${target}`),
    );
    expect(missing).toEqual([]);
  });

  test('are read by this test at all', () => {
    const text =
      "import a from './a.ts';\nimport type { B } from '../b.ts';\nexport { c } from 'c';\nimport {\n  d,\n  e,\n} from './d.ts';\nimport './f.ts';\nawait im" +
      "port('./g.ts');\n";
    expect(importsOf({ path: 'shared/job/x.ts', text })).toEqual([
      { target: 'shared/job/a.ts', typeOnly: false },
      { target: 'shared/b.ts', typeOnly: true },
      { target: 'c', typeOnly: false },
      { target: 'shared/job/d.ts', typeOnly: false },
      { target: 'shared/job/f.ts', typeOnly: false },
      { target: 'shared/job/g.ts', typeOnly: false },
    ]);
    expect(strayImports({ path: 'shared/job/x.ts', text: "import { y } from '../ports/y.ts';" })).toEqual([
      'shared/job/x.ts imports shared/ports/y.ts',
    ]);
  });
});
