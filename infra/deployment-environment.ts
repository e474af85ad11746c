import { encodeEnvironment, type VariableNames } from '../shared/config/environment.ts';
import { defined } from '../shared/job/defined.ts';
import { type DeploymentReferences, eventsConfig, queueUrls } from './references.ts';

/** The user of an environment. */
export interface EnvironmentReader {
  /** Settings where they differ from the defaults. Default: those of the deployment. */
  readonly settings?: Readonly<Record<string, number>>;
  /** The worker that the function is. */
  readonly worker?: string;
  /** Workers whose dead-letter queues it needs. Default: its own worker. */
  readonly deadLetterQueues?: 'all' | readonly string[];
  /** Whether it puts events on the deployment's bus. */
  readonly withBus: boolean;
  /** What the variables are called. Default: as for a function's only deployment. */
  readonly names?: VariableNames;
}

/** The variables that describe a deployment to a function, a client or an operator. Values may be tokens. */
export function deploymentEnvironment(references: DeploymentReferences, reader: EnvironmentReader): Record<string, string> {
  const { name, tables, workers, history, metrics, events, payloads } = references;
  const { settings = references.settings, worker, deadLetterQueues, withBus, names } = reader;
  const knowsDeadLetters = (one: string): boolean => deadLetterQueues === 'all' || (deadLetterQueues ?? [worker]).includes(one);
  const input = {
    name,
    tables: Object.fromEntries(Object.entries(tables).map(([table, reference]) => [table, reference.name])) as Record<
      keyof typeof tables,
      string
    >,
    workers: Object.fromEntries(Object.entries(workers).map(([one, queues]) => [one, queueUrls(queues, knowsDeadLetters(one))])),
    settings,
    ...defined({ history, metrics }),
    ...(events === undefined ? {} : { events: eventsConfig(events, withBus) }),
    ...defined({ worker, payloads: payloads?.name }),
  };
  return encodeEnvironment(input, names);
}
