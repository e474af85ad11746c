import type { StandardSchemaV1 } from '@standard-schema/spec';
import { defineCodec } from '../../../shared/job/define-codec.ts';
import type { PayloadCodec } from '../../../shared/job/payload-codec.ts';
import { type AnyJobType, defineJob, type HandledJob } from '../../../shared/job/job-type.ts';

const anything: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'nightcrew', validate: (value) => ({ value }) } };

/** A type of which only the name is known here: its definition, and the check of its payloads, are another program's. */
export function typeElsewhere(name: string, worker: string, schemaVersion: number): AnyJobType {
  return { ...defineJob(name, { payload: anything, worker }), schemaVersion };
}

/**
 * Handlers for external tasks: every type of the worker has a placeholder that is never called. The given types
 * contribute their retry policies.
 */
export class EveryType extends Map<string, HandledJob> {
  readonly #worker: string;

  constructor(worker: string, types: readonly AnyJobType[]) {
    super();
    this.#worker = worker;
    for (const type of types) this.set(type.name, elsewhere(type));
  }

  override get(name: string): HandledJob {
    return super.get(name) ?? elsewhere({ ...typeElsewhere(name, this.#worker, ANY_VERSION), codecs: EVERY_CODEC });
  }

  /** The versions of the payloads of the types that were given; every other is handed out in any version. */
  versions(): ReadonlyMap<string, number> {
    return new Map([...this.values()].map(({ type }) => [type.name, type.schemaVersion]));
  }
}

/** The code that fetches such a task knows what it can read: nothing is lifted or decoded, and no version is too new. */
const ANY_VERSION = Number.POSITIVE_INFINITY;

const AS_STORED = defineCodec({ name: 'as-stored', encode: (json) => json, decode: (text) => JSON.stringify(text) });

/** Whatever encoded a payload, its text is handed out. */
class EveryCodec extends Map<string, PayloadCodec> {
  override get(): PayloadCodec {
    return AS_STORED;
  }
}

const EVERY_CODEC = new EveryCodec();

/** Whether the payloads of a type are handed out without being decoded. */
export const handsOutEncoded = ({ codecs }: AnyJobType): boolean => codecs === EVERY_CODEC;

/** Refuses types with limits: a slot must be released by the process that took it, and here that is another one. */
const UNLIMITED = { limits: [] } as const;

function elsewhere(type: AnyJobType): HandledJob {
  return { ...type.handle(() => undefined), type: { ...type, ...UNLIMITED } };
}
