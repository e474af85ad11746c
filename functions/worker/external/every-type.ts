import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type AnyJobType, defineJob, type HandledJob } from '../../../shared/core/job-type.ts';

const anything: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'nightcrew', validate: (value) => ({ value }) } };

/**
 * Handlers by type where the handlers are elsewhere: every type of the worker has one, which is never called. Types that are given
 * bring their retry policies.
 */
export class EveryType extends Map<string, HandledJob> {
  readonly #worker: string;

  constructor(worker: string, types: readonly AnyJobType[]) {
    super();
    this.#worker = worker;
    for (const type of types) this.set(type.name, elsewhere(type));
  }

  override get(name: string): HandledJob {
    return super.get(name) ?? elsewhere(defineJob(name, { payload: anything, worker: this.#worker }));
  }
}

/** A slot of a limit would be given back by the process that took it, and here that is another one. */
const UNLIMITED = { limits: [] } as const;

function elsewhere(type: AnyJobType): HandledJob {
  return { ...type.handle(() => undefined), type: { ...type, ...UNLIMITED } };
}
