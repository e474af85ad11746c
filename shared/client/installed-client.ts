import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { JobClientOptions } from './job-client-options.ts';
import type { JobClient } from './job-client.ts';

/** Builds a client for the options that were given to `createJobClient`. */
export type BuildClient = (options: JobClientOptions) => JobClient<TransactWriteItem>;

let installed: BuildClient | undefined;

/**
 * From now on every client made by `createJobClient` uses this one, also those that a module made when it was
 * imported. Only for the test kit. The returned function uninstalls it, unless another client was installed since.
 */
export function installClient(build: BuildClient): () => void {
  installed = build;
  return () => {
    if (installed === build) installed = undefined;
  };
}

/** The client installed in this process, if any. */
export function installedClient(): BuildClient | undefined {
  return installed;
}
