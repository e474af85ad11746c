import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { JobClientOptions } from './job-client-options.ts';
import type { JobClient } from './job-client.ts';

/** Builds a client for the options that were given to `createJobClient`. */
export type BuildClient = (options: JobClientOptions) => JobClient<TransactWriteItem>;

let installed: BuildClient | undefined;

/**
 * From now on every client that `createJobClient` makes or made asks this one, also those that a module made when it was
 * imported. Only the test kit does it. The answer takes it back, unless somebody else was installed since.
 */
export function installClient(build: BuildClient): () => void {
  installed = build;
  return () => {
    if (installed === build) installed = undefined;
  };
}

/** What is installed in this process, if anything. */
export function installedClient(): BuildClient | undefined {
  return installed;
}
