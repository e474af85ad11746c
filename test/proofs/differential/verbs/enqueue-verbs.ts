import { jobIdFrom } from '../../../../shared/job/job-id.ts';
import type { EnqueueOptions } from '../../../../shared/job/enqueue-options.ts';
import { BEGINNING, type Stage, stranger, work } from './stage.ts';
import type { VerbCall } from './verbs.ts';

const SECOND_MS = 1000;

/** The options that a call's numbers stand for. Three keys, so that they are taken often. */
function optionsOf({ job, choice, ms }: VerbCall): EnqueueOptions {
  const key = `key ${job % 3}`;
  return {
    ...(ms === 0 ? {} : { delay: ms }),
    ...(choice === 1 ? { key } : choice === 2 ? { key: { value: key, for: 'PT1H' } } : {}),
    ...(choice === 3 ? { group: `group ${job % 2}` } : {}),
    ...(job % 2 === 0 ? { tenant: 'tenant', priority: choice, correlationId: `order ${job}` } : {}),
  };
}

const typeOf = ({ choice }: VerbCall) => (choice === 5 ? stranger : work);

/** One job; its id is remembered also when it is that of a job which holds the key. */
export async function enqueueOne({ rig, ids }: Stage, call: VerbCall): Promise<unknown> {
  const enqueued = await rig.client.enqueue(typeOf(call), { do: call.deed }, optionsOf(call));
  ids.push(enqueued.id);
  return enqueued;
}

/** A job under one of a few ids, so that it often exists already: the same one, or another one under that id. */
export async function enqueueWithOwnId({ rig, ids }: Stage, call: VerbCall): Promise<unknown> {
  const id = jobIdFrom(BEGINNING + call.ms, `own ${call.job % 3}`);
  const enqueued = await rig.client.enqueue(work, { do: call.choice === 0 ? 'throw' : 'complete' }, { id });
  ids.push(enqueued.id);
  return enqueued;
}

/** A few jobs at once, due a second after one another. */
export async function enqueueSeveral({ rig, ids }: Stage, call: VerbCall): Promise<unknown> {
  const payloads = Array.from({ length: call.choice + 1 }, (_, n) => ({ do: call.deed, n }));
  const report = await rig.client.enqueueMany(work, payloads, call.ms === 0 ? {} : { runAt: rig.clock.now() + call.ms + SECOND_MS });
  ids.push(...report.ids.flatMap((id) => id ?? []));
  return report;
}
