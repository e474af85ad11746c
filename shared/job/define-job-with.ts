import { checkCodecs, type PayloadCodec } from './payload-codec.ts';
import { checkOptions } from './names.ts';
import { defineJob } from './job-type.ts';

/** What all job types that are defined with it have, unless they say otherwise. */
export interface JobTypeDefaults {
  /** As of `defineJob`. */
  readonly codec?: PayloadCodec;
  /** As of `defineJob`. */
  readonly readCodecs?: readonly PayloadCodec[];
}

/**
 * `defineJob` with a codec for all types of a deployment. Producers, workers and operators import the types, so none of them can have another
 * codec. Throws InvalidInputError.
 */
export function defineJobWith(defaults: JobTypeDefaults): typeof defineJob {
  checkOptions(defaults, ['codec', 'readCodecs'], 'defaults');
  checkCodecs(defaults.codec, defaults.readCodecs);
  return (name, options) => defineJob(name, { ...defaults, ...options });
}
