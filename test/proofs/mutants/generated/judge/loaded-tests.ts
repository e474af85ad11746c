import { type RunnerTestCase, type RunnerTestSuite, type TestContext, TestRunner } from 'vitest';

/** A test that was loaded, with the describes around it, the outermost first. */
export interface LoadedTest {
  /** File, names and which of those of the same name. */
  readonly key: string;
  readonly test: RunnerTestCase;
  readonly suites: readonly RunnerTestSuite[];
}

/** The tests of a suite, by their keys. */
export function loadedTests(root: RunnerTestSuite): ReadonlyMap<string, LoadedTest> {
  const found = new Map<string, LoadedTest>();
  const walk = (suite: RunnerTestSuite, suites: readonly RunnerTestSuite[]): void => {
    for (const task of suite.tasks) {
      if (task.type === 'suite') walk(task, [...suites, task]);
      else if (suites.length > 0) add(task, suites);
    }
  };
  const add = (test: RunnerTestCase, suites: readonly RunnerTestSuite[]): void => {
    const name = [...suites.map((suite) => suite.name), test.name].join(' > ');
    let key = name;
    for (let number = 2; found.has(key); number++) key = `${name} #${number}`;
    found.set(key, { key, test, suites });
  };
  walk(root, []);
  return found;
}

/** Vitest's state of a running test. */
interface WithListeners {
  onFinished?: readonly ((context: TestContext) => unknown)[];
  onFailed?: unknown;
}

const prepared = new Set<RunnerTestSuite>();

/** `beforeAll` hooks run once, without a mutant; `afterAll` hooks run at the end of the process. */
export async function prepare({ suites }: LoadedTest): Promise<void> {
  for (const suite of suites) {
    if (prepared.has(suite)) continue;
    prepared.add(suite);
    for (const hook of TestRunner.getSuiteHooks(suite).beforeAll) await hook(suite);
  }
}

/** Runs a test once more, as Vitest would, with its hooks. Throws its failure. `judging` is the test that is running for Vitest. */
export async function runOnce({ test, suites }: LoadedTest, judging: RunnerTestCase): Promise<void> {
  const after: (() => unknown)[] = [];
  const errors: unknown[] = [];
  const attempt = async (work: () => unknown): Promise<void> => {
    try {
      await work();
    } catch (error) {
      errors.push(error);
    }
  };
  await attempt(async () => {
    for (const suite of suites) {
      for (const hook of TestRunner.getSuiteHooks(suite).beforeEach) {
        const cleanup: unknown = await hook(test.context, suite);
        if (typeof cleanup === 'function') after.unshift(cleanup as () => unknown);
      }
    }
    await TestRunner.getTestFn(test)();
  });
  for (const suite of suites.toReversed()) {
    for (const hook of TestRunner.getSuiteHooks(suite).afterEach.toReversed()) await attempt(() => hook(test.context, suite));
  }
  // `onTestFinished` of the module registers with the test that Vitest runs.
  for (const one of [test, judging] as (RunnerTestCase & WithListeners)[]) {
    for (const finished of one.onFinished?.toReversed() ?? []) await attempt(() => finished(test.context));
    delete one.onFinished;
    delete one.onFailed;
  }
  for (const cleanup of after) await attempt(cleanup);
  if (errors.length > 0) throw errors[0];
}
