import type { Named } from '../frame/measurement.ts';

/** The side that the executor is compared with when each write is a request. */
export const BY_SINGLE_WRITES = 'hand-written handler, a request for each write';

/** The figure of the executor with batching off. */
export const batchingOff = (kind: 'wall' | 'cpu') =>
  ({
    id: `overhead.batchingOff.${kind}`,
    what: `claim, run, complete with batching off: ${kind === 'wall' ? 'wall time' : 'CPU'} per job`,
    unit: 'us',
    baselineName: BY_SINGLE_WRITES,
    ...(kind === 'cpu' && { target: { at: 'most', value: 1.2 } }),
  }) satisfies Named & { readonly baselineName: string };
