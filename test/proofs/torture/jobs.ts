import * as z from 'zod/mini';
import { defineJob } from '../../../shared/index.ts';

// Any failure that the chaos causes is retried; only what is meant to run out of tries does.
const patient = { retry: 'R30/PT1S' } as const;
const nothing = z.object({});
const times = z.object({ times: z.number() });

/** Ends at once. */
export const quick = defineJob('quick', { payload: nothing, ...patient });
/** Runs for a while, so that it is often met by a kill. */
export const slow = defineJob('slow', { payload: z.object({ ms: z.number() }), ...patient });
const inGroup = { payload: z.object({ group: z.string(), ms: z.number() }), group: (job: { readonly group: string }) => job.group };
/** Never beside another one of its group. */
export const grouped = defineJob('grouped', { ...inGroup, ...patient });
/** The same in another worker, whose queue knows nothing of the first one's order. */
export const groupedElsewhere = defineJob('grouped-elsewhere', { ...inGroup, ...patient, worker: 'other' });
/** Fails so many times, then completes. */
export const failing = defineJob('failing', { payload: times, ...patient });
/** Fails until its tries are used up. */
export const hopeless = defineJob('hopeless', { payload: nothing, retry: 'R2/PT1S' });
/** Fails for good until somebody fixes its cause; then it is redriven. */
export const repaired = defineJob('repaired', { payload: nothing, ...patient });
/** Asks for another time so many times, then completes. */
export const snoozing = defineJob('snoozing', { payload: z.object({ times: z.number(), ms: z.number() }), ...patient });
/** The first time it ignores its time limit forever. */
export const overlong = defineJob('overlong', { payload: nothing, timeout: 'PT1S', ...patient });
/** The same in a group, whose next job must not start before its process has ended. */
export const overlongInGroup = defineJob('overlong-in-group', { ...inGroup, ...patient, timeout: 'PT1S', worker: 'other' });
/** The first time it blocks the event loop, so that only the kill at the deadline ends it. */
export const blocking = defineJob('blocking', { payload: nothing, ...patient });
/** The first time it kills its process. */
export const selfKilling = defineJob('self-killing', { payload: nothing, ...patient });
/** Runs outside Lambda, for longer than its worker waits between two heartbeats. */
export const outside = defineJob('outside', { payload: z.object({ ms: z.number() }), ...patient, worker: 'machine' });
/** The same in a group whose other jobs run in Lambda. */
export const groupedOutside = defineJob('grouped-outside', { ...inGroup, ...patient, worker: 'machine' });
/** Kills its process every time. */
export const poison = defineJob('poison', { payload: nothing, ...patient });
