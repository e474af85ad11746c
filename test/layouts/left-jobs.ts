import { defineJob } from '../../shared/job/job-type.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import { complete, fail } from '../../shared/job/verdict.ts';
import { anyPayload } from '../support/rig.ts';

/** Job types that leave rows of every kind. What a handler does follows from the payload and from whether the fault is `fixed`. */
export const TYPES = {
  plain: defineJob('plain', { payload: anyPayload, retry: 'R5/PT1H' }),
  quick: defineJob('quick', { payload: anyPayload, retry: 'R5/PT10S' }),
  grouped: defineJob('grouped', { payload: anyPayload, group: 'customer', priority: 7 }),
  limited: defineJob('limited', { payload: anyPayload, limits: [defineLimit('one', { concurrency: 1 })] }),
  report: defineJob('report', { payload: anyPayload }),
  unknown: defineJob('unknown', { payload: anyPayload }),
} as const;

/** The handlers of a deployment. `hold`: what running jobs wait for; `without`: a type that this release has no handler for. */
export function handlersOf(world: { readonly fixed: boolean; readonly hold?: Promise<void>; readonly without?: string }) {
  const handle = async (payload: Record<string, unknown>) => {
    if (payload['do'] === 'hold') await world.hold;
    if (world.fixed) return complete({ result: { fixed: true } });
    if (payload['do'] === 'throw') throw new TypeError('the relay answered 451');
    return payload['do'] === 'fail' ? fail('no such address') : undefined;
  };
  return Object.values(TYPES)
    .filter(({ name }) => name !== world.without)
    .map((type) => type.handle(async ({ payload }) => handle(payload)));
}
