/** What a support module has started or written, and leaves for the end of the test file that runs. */
type Cleanup = () => void | Promise<void>;

const cleanups: Cleanup[] = [];

/** Runs `cleanup` after the last test of the running file. Unlike `afterAll` it may be called at any time, also from a test. */
export function afterTestFile(cleanup: Cleanup): void {
  cleanups.push(cleanup);
}

/** Runs what was left for the end of a file. The setup file of the tests calls it. */
export async function runCleanups(): Promise<void> {
  await Promise.all(cleanups.splice(0).map(async (cleanup) => cleanup()));
}
