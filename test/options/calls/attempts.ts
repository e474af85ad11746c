import type { JobHandler, RetryFor } from '../../../shared/index.ts';
import { createTestKit } from '../../../testing/index.ts';
import type { OnError } from '../../../functions/index.ts';
import { Rig } from '../../support/rig.ts';
import { work } from './samples.ts';

/** Runs a job with this handler, and throws why its run failed. */
export async function runWith(handler: JobHandler): Promise<void> {
  const kit = createTestKit([work.handle(handler)]);
  const { id } = await kit.client.enqueue(work, {});
  const { error } = await kit.runJob(id, { errors: 'record' });
  if (error !== undefined) throw error;
}

/** Runs a job that fails, and throws why a hook of its worker was ignored. */
export async function failWith(hooks: { readonly onError?: OnError; readonly retryFor?: RetryFor }): Promise<void> {
  const handler: JobHandler = () => {
    throw new Error('boom');
  };
  const rig = new Rig({ handlers: [work.handle(handler)] });
  await rig.client.enqueue(work, {});
  await rig.deliver(1, { ...rig.deps, ...hooks });
  for (const { event, error } of rig.journal.entries) if (event === 'hook-failed') throw new Error(error?.message);
}
