import { defineJob } from '../../../shared/job/job-type.ts';
import { anyPayload } from '../../frame/any-payload.ts';

/** A job that does nothing, with a payload of a few dozen bytes. */
export const noop = defineJob('scale.noop', { payload: anyPayload<{ readonly n: number }>() });

/** The same in one of ten thousand exclusive groups. */
export const grouped = defineJob('scale.grouped', {
  payload: anyPayload<{ readonly n: number }>(),
  group: ({ n }) => `group-${n % 10_000}`,
});

/** Their handlers. */
export const NOOP = [noop.handle(() => undefined), grouped.handle(() => undefined)];

/** `count` payloads, from number `from`. */
export const payloads = (count: number, from = 0): readonly { readonly n: number }[] =>
  Array.from({ length: count }, (_, n) => ({ n: from + n }));
