import { encodeEnvironment } from '../shared/config/environment.ts';
import { defined } from '../shared/core/defined.ts';
import { type DeploymentReferences, eventsConfig, queueUrls } from './references.ts';

/** For whom an environment is. */
export interface EnvironmentReader {
  /** Settings where they differ from the defaults. Default: those of the deployment. */
  readonly settings?: Readonly<Record<string, number>>;
  /** The worker that the function is. */
  readonly worker?: string;
  /** Workers whose dead-letter queues it has to know. Default: of the worker that it is. */
  readonly deadLetterQueues?: 'all';
  /** Whether it puts events on the deployment's bus. */
  readonly withBus: boolean;
}

/** The variables by which a function, a client or an operator knows a deployment. Values may be tokens. */
export function deploymentEnvironment(references: DeploymentReferences, reader: EnvironmentReader): Record<string, string> {
  const { name, tables, workers, history, metrics, events } = references;
  const { settings = references.settings, worker, deadLetterQueues, withBus } = reader;
  const knowsDeadLetters = (one: string): boolean => deadLetterQueues === 'all' || one === worker;
  return encodeEnvironment({
    name,
    tables: Object.fromEntries(Object.entries(tables).map(([table, reference]) => [table, reference.name])) as Record<
      keyof typeof tables,
      string
    >,
    workers: Object.fromEntries(Object.entries(workers).map(([one, queues]) => [one, queueUrls(queues, knowsDeadLetters(one))])),
    settings,
    ...defined({ history, metrics }),
    ...(events === undefined ? {} : { events: eventsConfig(events, withBus) }),
    ...defined({ worker }),
  });
}
