import type { JobClientOptions } from '../../shared/client/job-client-options.ts';
import { createClient, type JobClient } from '../../shared/client/job-client.ts';
import { checkTenant } from '../../shared/client/tenant-view.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { transactItem } from '../../shared/adapters/dynamodb/write-input.ts';
import { defined } from '../../shared/job/defined.ts';
import type { Write } from '../../shared/ports/tables.ts';
import type { KitWorld } from './kit-world.ts';

/** The client of a kit: its `prepare` gives the items that production would give. */
export type KitClient = JobClient<ReturnType<typeof transactItem>>;

/**
 * The real client over the kit's tables. The kit never sees the caller's own transaction, and a caller dispatches only after it
 * committed: so it is `dispatch` that stores a prepared job here.
 */
export function createKitClient(world: KitWorld, options: Pick<JobClientOptions, 'beforeCreate' | 'tracing'>, tenant?: string): KitClient {
  let writes: readonly Write[] = [];
  const own = defined({ tenant, tracing: options.tracing });
  const client = createClient({ ...world, ...own, journal: world.events.outside, beforeCreate: options.beforeCreate ?? [] }, (given) => {
    writes = given;
    return given.map((write) => transactItem(write, world.deployment.tables));
  });
  return {
    ...client,
    forTenant: (name) => createKitClient(world, options, checkTenant(name, tenant)),
    prepare(type, payload, given) {
      const prepared = client.prepare(type, payload, given);
      const mine = writes;
      return {
        ...prepared,
        async dispatch() {
          const stored = await world.tables.transact(mine, `prepared/${prepared.id}`);
          if (!stored.applied) throw new StoreUnavailableError('commit of a prepared job', new Error('its key or its id is taken'));
          await prepared.dispatch();
        },
      };
    },
  };
}
