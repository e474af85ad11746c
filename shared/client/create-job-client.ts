import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { createEvents } from '../lambda/connect-events.ts';
import { connectAws, createAwsClients, createBatchSupport } from '../lambda/connect.ts';
import { reportUnknownSettings } from '../lambda/unknown-settings.ts';
import { namedConnection, variableNames } from '../config/connection-name.ts';
import { type Deployment, decodeEnvironment } from '../config/environment.ts';
import { systemClock, systemEntropy, systemEnvironment, systemTraceparent } from '../adapters/system.ts';
import { transactItem } from '../adapters/dynamodb/write-input.ts';
import { createPowertoolsJournal } from '../adapters/observability/powertools-journal.ts';
import { defined } from '../job/defined.ts';
import { checkEachOption, checkFunction, listOf, type OptionChecks } from '../job/option-checks.ts';
import { CONNECTION_CHECKS } from '../ports/connection-checks.ts';
import type { Journal } from '../ports/journal.ts';
import { silentJournal } from '../adapters/observability/silent-journal.ts';
import { flushAfter } from '../adapters/observability/flush-after.ts';
import type { Write } from '../ports/tables.ts';
import { checkTracing } from '../ports/tracing.ts';
import { type BuildClient, installedClient } from './installed-client.ts';
import type { JobClientOptions, OwnStoreOptions } from './job-client-options.ts';
import { createClient, type JobClient } from './job-client.ts';
import { checkTenant } from './tenant-view.ts';

const CHECKS: OptionChecks<JobClientOptions> = {
  ...CONNECTION_CHECKS,
  deployment: (field, value) => void variableNames(value, field),
  beforeCreate: listOf(checkFunction),
  tracing: (_field, value) => void checkTracing(value),
};

/**
 * A client for any Lambda that is connected to an executor. Throws InvalidInputError for a wrong option,
 * InvalidConfigurationError for a `deployment` that could not be a connection. The environment is read at the first call, so that a module can be imported without it; a missing variable names the call that was forgotten.
 */
export function createJobClient(options: OwnStoreOptions): JobClient<Write>;
export function createJobClient(options?: JobClientOptions): JobClient<TransactWriteItem>;
export function createJobClient(options: JobClientOptions = {}): JobClient<TransactWriteItem> | JobClient<Write> {
  checkEachOption(options, CHECKS);
  let built: { readonly by: BuildClient; readonly client: JobClient<TransactWriteItem> } | undefined;
  const client = (): JobClient<TransactWriteItem> => {
    const by = installedClient() ?? build;
    if (built?.by !== by) built = { by, client: by(options) };
    return built.client;
  };
  return lazyClient(client);
}

/** A client that looks up the real one at each call. `present`: the tenant that it is for. */
function lazyClient(client: () => JobClient<TransactWriteItem>, present?: string): JobClient<TransactWriteItem> {
  return {
    forTenant: (tenant) => {
      const checked = checkTenant(tenant, present);
      return lazyClient(() => client().forTenant(checked), checked);
    },
    enqueue: async (type, payload, given) => client().enqueue(type, payload, given),
    enqueueMany: async (type, payloads, given) => client().enqueueMany(type, payloads, given),
    prepare: (type, payload, given) => client().prepare(type, payload, given),
    get: async (id) => client().get(id),
    cancel: async (id, given) => client().cancel(id, given),
    cancelByKey: async (type, key, given) => client().cancelByKey(type, key, given),
    reschedule: async (id, when) => client().reschedule(id, when),
    history: async (id) => client().history(id),
    waitForResult: async (id, given) => client().waitForResult(id, given),
    createBatch: async (given) => client().createBatch(given),
    enqueueBatch: async (type, payloads, given) => client().enqueueBatch(type, payloads, given),
    batch: async (id) => client().batch(id),
    sealBatch: async (id) => client().sealBatch(id),
    cancelBatch: async (id) => client().cancelBatch(id),
    newId: (when) => client().newId(when),
  };
}

function build(options: JobClientOptions): JobClient<TransactWriteItem> {
  const deployment = decodeEnvironment(options.environment ?? systemEnvironment(), namedConnection(options.deployment, 'connect'));
  const [clock, entropy] = [systemClock, systemEntropy];
  const [traced, own] = [checkTracing(options.tracing), options.ports ?? {}];
  const plain = options.journal ?? journalOf(deployment, traced);
  reportUnknownSettings(deployment, plain);
  const batches = createBatchSupport(deployment, plain, 'puts');
  const { tables, hints } = connectAws(createAwsClients(options.environment), deployment, { clock, entropy, journal: plain, batches, own });
  const { onEvent, eventSinks = [] } = options;
  const { journal, flush } = createEvents()({ deployment, tables, journal: plain, clock, entropy, sinks: eventSinks, onEvent });
  const { beforeCreate = [] } = options;
  const deps = { deployment, tables, hints, journal, clock, entropy, beforeCreate, traceparent: systemTraceparent, ...traced };
  // The type of its items follows from the options, as `createJobClient` says.
  const client = createClient(deps, (writes) =>
    own.tables === undefined ? writes.map((write) => transactItem(write, deployment.tables)) : ([...writes] as TransactWriteItem[]),
  );
  return journal === plain ? client : flushAfter(client, flush);
}

function journalOf({ metrics, name }: Deployment, traced: ReturnType<typeof checkTracing>): Journal {
  if (metrics === 'off') return silentJournal;
  return createPowertoolsJournal({ metrics, service: 'client', ...traced, ...defined({ deployment: name }) });
}
