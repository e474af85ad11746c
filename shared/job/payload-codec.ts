import { NightcrewError, NonRetryableError, InvalidInputError, kindOf } from './errors.ts';
import { liftPayload, type Lifter, type StoredPayload } from './upcast.ts';
import type { JobId } from './job-id.ts';

/**
 * What a payload belongs to: for the choice of a key, and to bind the text to it. Not the id of its job, because a unique key may give a job
 * the payload of another one.
 */
export interface PayloadContext {
  readonly type: string;
  readonly tenant?: string;
}

/** What a row says about its payload. */
export interface CodedPayload extends PayloadContext {
  readonly payload: string;
  /** The codec that encoded the payload, and the state of the handler; absent: both are JSON text. */
  readonly codec?: string;
}

/** A payload as a row keeps it. */
export type EncodedPayload = Pick<CodedPayload, 'payload' | 'codec'>;

/** The job whose row will have a payload. Without an id the payload is for another row, such as that of a batch. */
export interface PayloadOwner extends PayloadContext {
  readonly id?: JobId;
}

/** A row that a handler's state is written to. */
export interface ContinuedRow extends CodedPayload, StoredPayload, PayloadOwner {}

/**
 * Turns the JSON text of payloads into what is stored, and back. Made by `defineCodec` or `claimCheck`; the code that does it is loaded by those
 * alone who make one.
 */
export interface PayloadCodec {
  /** Stored with each payload. */
  readonly name: string;
  /** How many bytes of JSON it takes. Default: as many as a row. */
  readonly payloadBytes?: number;
  /** Further codecs that its rows may name. */
  readonly within?: PayloadCodec;
  /** Set if what it makes for the row of one job must not get into the row of another. */
  readonly perJob?: true;
  /** A payload as a row keeps it; its text has at most `limit` bytes, by default as many as a row takes. Throws PayloadCodecError, PayloadTooLargeError. */
  readonly encode: (json: string, of: PayloadOwner, limit?: number) => Promise<EncodedPayload>;
  /** The same without waiting; throws InvalidInputError where that cannot be. */
  readonly encodeNow: (json: string, of: PayloadOwner) => EncodedPayload;
  /** The state of a handler, for a row that has this codec. Throws PayloadCodecError, and InvalidInputError for one that is too large. */
  readonly encodeState: (json: string, of: PayloadContext) => Promise<string>;
  /** The JSON text of a payload or a state that a row with this codec has. Throws PayloadCodecError, or what a codec throws of Nightcrew's errors. */
  readonly decode: (text: string, of: PayloadContext) => Promise<string>;
  /** What a row with this codec gets for its next run: the state, and a payload of an older version as `type` reads it. */
  readonly continued: (
    type: Lifter & TypeCodecs & Pick<StoredPayload, 'schemaVersion'>,
    row: ContinuedRow,
    state: string,
  ) => Promise<Readonly<Record<string, string | number>>>;
  /** Gives up what it keeps outside the row of a job that has ended. */
  readonly discard?: (text: string) => Promise<void>;
  /** Why a payload that it encoded can never be run, without what may quote the payload; a failure of the codec itself as it is. */
  readonly unreadable: (cause: unknown) => NightcrewError;
}

/** The codecs of a job type. */
export interface TypeCodecs {
  /** Encodes new payloads; absent: they are stored as JSON. */
  readonly codec?: PayloadCodec;
  /** Every codec that the type decodes, by name. Absent: none. */
  readonly codecs?: ReadonlyMap<string, PayloadCodec>;
}

/** Whether a codec failed: a later try may succeed. */
export const codecFailed = (error: unknown): error is NightcrewError => error instanceof NightcrewError && error.code === 'CODEC_FAILED';

/** The codecs of a definition: the one that encodes, and all that decode. Throws InvalidInputError. */
export function checkCodecs(codec: unknown, readCodecs: unknown): TypeCodecs {
  if (codec === undefined && readCodecs === undefined) return {};
  if (readCodecs !== undefined && !Array.isArray(readCodecs)) {
    throw new InvalidInputError('readCodecs', kindOf(readCodecs), 'Give an array of codecs.');
  }
  const writes = codec === undefined ? [] : [checkCodec(codec, 'codec')];
  const given = [...writes, ...((readCodecs ?? []) as readonly unknown[]).map((one, place) => checkCodec(one, `readCodecs[${place}]`))];
  const all = given.flatMap((one) => [one, ...(one.within === undefined || given.includes(one.within) ? [] : [one.within])]);
  const codecs = new Map(all.map((one) => [one.name, one]));
  if (codecs.size < all.length) {
    throw new InvalidInputError('readCodecs', all.map(({ name }) => name).join(), 'Give each codec a name of its own.');
  }
  return { ...(writes[0] === undefined ? {} : { codec: writes[0] }), codecs };
}

function checkCodec(given: unknown, field: string): PayloadCodec {
  if (typeof (given as Partial<PayloadCodec> | null)?.encodeState === 'function') return given as PayloadCodec;
  throw new InvalidInputError(field, kindOf(given), 'Give a codec: defineCodec({ name, encode, decode }).');
}

/** Whether code with these codecs can read the payload. */
export const knowsCodec = ({ codecs }: TypeCodecs, { codec }: Pick<CodedPayload, 'codec'>): boolean =>
  codec === undefined || codecs?.get(codec) !== undefined;

/** The JSON text of a stored payload, or of another `text` of its row. Throws as the codec's `decode` does. */
export async function decodeText({ codecs }: TypeCodecs, stored: CodedPayload, text = stored.payload): Promise<string> {
  if (stored.codec === undefined) return text;
  const codec = codecs?.get(stored.codec);
  if (codec === undefined) throw new InvalidInputError('codec', stored.codec, `Give it to job type ${stored.type} in readCodecs.`);
  return codec.decode(text, stored);
}

/** The value of a stored payload, decoded and lifted to the version of the code. Throws as `decodeText` and `liftPayload` do. */
export async function liftStored(type: Lifter & TypeCodecs, job: CodedPayload & Pick<StoredPayload, 'schemaVersion'>): Promise<unknown> {
  return liftPayload(type, { payload: await decodeText(type, job), schemaVersion: job.schemaVersion });
}

/** Error of a stored payload that can never run, because it does not change between tries. For an encoded payload its codec chooses the message. */
export function unreadablePayload({ codecs }: TypeCodecs, { codec }: Pick<CodedPayload, 'codec'>, cause: unknown): NightcrewError {
  const coded = codec === undefined ? undefined : codecs?.get(codec);
  return coded?.unreadable(cause) ?? new NonRetryableError(cause instanceof Error ? cause.message : 'The payload is not valid.', { cause });
}
