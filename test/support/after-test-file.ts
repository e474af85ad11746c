/** Cleanup that a support module registers for the end of the current test file. */
type Cleanup = () => void | Promise<void>;

const cleanups: Cleanup[] = [];

/** Runs `cleanup` after the last test of the running file. Unlike `afterAll` it may be called at any time, also from a test. */
export function afterTestFile(cleanup: Cleanup): void {
  cleanups.push(cleanup);
}

/** Runs the registered cleanup. Called by the setup file of the tests. */
export async function runCleanups(): Promise<void> {
  await Promise.all(cleanups.splice(0).map(async (cleanup) => cleanup()));
}
