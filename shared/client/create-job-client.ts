import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { createEvents } from '../lambda/connect-events.ts';
import { connectAws, createAwsClients } from '../lambda/connect.ts';
import { decodeEnvironment } from '../config/environment.ts';
import { systemClock, systemEntropy, systemEnvironment, systemTraceparent } from '../config/system.ts';
import { transactItem } from '../adapters/dynamodb/write-input.ts';
import { createPowertoolsJournal } from '../adapters/observability/powertools-journal.ts';
import { silentJournal } from '../adapters/observability/silent-journal.ts';
import { flushAfter } from '../adapters/observability/flush-after.ts';
import { type BuildClient, installedClient } from './installed-client.ts';
import type { JobClientOptions } from './job-client-options.ts';
import { createClient, type JobClient } from './job-client.ts';
import { checkTenant } from './tenant-view.ts';

/**
 * A client for any Lambda that is connected to an executor. The environment is read at the first call, so that importing
 * the module never throws; a missing variable names the call that was forgotten.
 */
export function createJobClient(options: JobClientOptions = {}): JobClient<TransactWriteItem> {
  let built: { readonly by: BuildClient; readonly client: JobClient<TransactWriteItem> } | undefined;
  const client = (): JobClient<TransactWriteItem> => {
    const by = installedClient() ?? build;
    if (built?.by !== by) built = { by, client: by(options) };
    return built.client;
  };
  return lazyClient(client);
}

/** A client that asks for the real one at each call. */
function lazyClient(client: () => JobClient<TransactWriteItem>): JobClient<TransactWriteItem> {
  return {
    forTenant: (tenant) => {
      const checked = checkTenant(tenant);
      return lazyClient(() => client().forTenant(checked));
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
  const deployment = decodeEnvironment(options.environment ?? systemEnvironment());
  const [clock, entropy] = [systemClock, systemEntropy];
  const { metrics } = deployment;
  const plain = options.journal ?? (metrics === 'off' ? silentJournal : createPowertoolsJournal({ metrics, service: 'client' }));
  const { tables, hints } = connectAws(createAwsClients(options.environment), deployment, { clock, entropy, journal: plain });
  const { onEvent, eventSinks = [] } = options;
  const { journal, flush } = createEvents()({ deployment, tables, journal: plain, clock, entropy, sinks: eventSinks, onEvent });
  const { beforeCreate = [] } = options;
  const deps = { deployment, tables, hints, journal, clock, entropy, beforeCreate, traceparent: systemTraceparent };
  const client = createClient(deps, (writes) => writes.map((write) => transactItem(write, deployment.tables)));
  return journal === plain ? client : flushAfter(client, flush);
}
