import { defineJob } from '../../../shared/core/job-type.ts';

const anything = { '~standard': { version: 1, vendor: 'bench', validate: (value: unknown) => ({ value }) } } as const;

/** A job that does nothing, with a payload of a few dozen bytes. */
export const noop = defineJob('scale.noop', { payload: anything });

/** The same in one of ten thousand exclusive groups. */
export const grouped = defineJob('scale.grouped', {
  payload: anything,
  group: (payload) => `group-${(payload as { readonly n: number }).n % 10_000}`,
});

/** Their handlers. */
export const NOOP = [noop.handle(() => undefined), grouped.handle(() => undefined)];

/** `count` payloads, from number `from`. */
export const payloads = (count: number, from = 0): readonly { readonly n: number }[] =>
  Array.from({ length: count }, (_, n) => ({ n: from + n }));
