import type { Deployment } from '../config/environment.ts';
import { createPollingClient, createSqsSource } from '../adapters/sqs/source.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { HintSource } from '../ports/hint-source.ts';
import type { Journal } from '../ports/journal.ts';
import type { OwnPorts } from '../ports/own-ports.ts';
import { clientPlace } from '../adapters/aws/client-place.ts';

/** What a process that polls is connected with. */
export interface SourceTerms {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly journal: Journal;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Where a process receives messages: SQS, with a client of its own for long polls, unless `own` has a source. `close` ends that client. */
export function connectSource(
  { source }: OwnPorts,
  { workers }: Pick<Deployment, 'workers'>,
  { environment, ...terms }: SourceTerms,
): { readonly source: HintSource; readonly close: () => void } {
  if (source !== undefined) return { source, close: () => {} };
  const client = createPollingClient(clientPlace(environment, 'SQS'));
  return { source: createSqsSource({ client, workers, ...terms }), close: () => client.destroy() };
}
