import { defined } from './defined.ts';
import {
  Described,
  InvalidInputError,
  kindOf,
  NightcrewError,
  NonRetryableError,
  PayloadTooLargeError,
  RetryAfterError,
  shown,
} from './errors.ts';
import { checkOptions } from './names.ts';
import { codecFailed, type ContinuedRow, decodeText, type PayloadCodec, type PayloadContext } from './payload-codec.ts';
import { onOneLine } from './shown.ts';
import { LIMITS, utf8Bytes } from './size-limits.ts';
import { isOlder, liftedFields } from './upcast.ts';
import { checkState } from './verdict.ts';
import { UnfitPayloadError } from './validate.ts';

/** What a codec does: encryption, compression. Both functions may be asynchronous. */
export interface CodecDefinition {
  /** Stored with each payload: 1 to 64 letters, digits, `_` or `-`. Never give one name to two formats. */
  readonly name: string;
  /** The text to store, at most 256 KB. */
  readonly encode: (json: string, context: PayloadContext) => string | Promise<string>;
  /** The JSON text that was encoded. Throw NonRetryableError for a text that no later try can decode, RetryAfterError to choose when the next try is due. */
  readonly decode: (text: string, context: PayloadContext) => string | Promise<string>;
}

/**
 * A codec could not encode or decode a payload. The message tells no more than the name and the code of what it threw: the rest may quote the
 * payload. A job whose payload cannot be decoded is retried by its policy.
 */
export class PayloadCodecError extends NightcrewError {
  constructor(codec: string, verb: 'encode' | 'decode', type: string, why: string) {
    super('CODEC_FAILED', onOneLine(`payload: codec ${shown(codec)} could not ${verb} a payload of job type ${shown(type)}: ${why}.`), {
      retryable: true,
    });
  }
}

const CODEC_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Makes a codec for `codec` and `readCodecs` of a job type. Throws InvalidInputError. */
export function defineCodec(definition: CodecDefinition): PayloadCodec {
  checkOptions(definition, ['name', 'encode', 'decode'], 'definition');
  const { name, encode, decode } = definition;
  if (typeof name !== 'string' || !CODEC_NAME.test(name)) {
    throw new InvalidInputError('name', name, 'Use 1 to 64 letters, digits, _ or -.');
  }
  for (const [field, given] of Object.entries({ encode, decode })) {
    if (typeof given !== 'function') throw new InvalidInputError(field, kindOf(given), 'Give a function.');
  }
  const text = async (json: string, of: PayloadContext, limit: number): Promise<string> =>
    checkEncoded(name, await ask(definition, 'encode', json, of), of, limit);
  const codec: PayloadCodec = {
    name,
    encode: async (json, of, limit = LIMITS.payloadBytes) => ({ payload: await text(json, of, limit), codec: name }),
    encodeNow: (json, of) => ({ payload: encodedNow(definition, json, of), codec: name }),
    encodeState: async (json, of) => checkState(await text(json, of, Number.POSITIVE_INFINITY)),
    async decode(stored, of) {
      const json: unknown = await ask(definition, 'decode', stored, of);
      if (typeof json === 'string') return json;
      throw new PayloadCodecError(name, 'decode', of.type, `it gave ${kindOf(json).text} instead of a text`);
    },
    continued: async (type, row, state) => continuedWith(codec, async (json) => text(json, row, LIMITS.payloadBytes), { type, row, state }),
    unreadable: (cause) => unreadable(name, cause),
  };
  return codec;
}

/** A row that continues, and the type that reads it. */
export interface Continuing {
  readonly type: Parameters<PayloadCodec['continued']>[0];
  readonly row: ContinuedRow;
  readonly state: string;
}

/** The fields of a row that keeps its codec. `stored` makes the text of a payload that was lifted. Throws what a step throws, or PayloadCodecError. */
export async function continuedWith(
  codec: PayloadCodec,
  stored: (json: string) => Promise<string>,
  { type, row, state }: Continuing,
): ReturnType<PayloadCodec['continued']> {
  const encoded = await codec.encodeState(state, row);
  if (!isOlder(type, row)) return { state: encoded };
  return { state: encoded, payload: await stored(await liftedText(codec, type, row)), schemaVersion: type.schemaVersion };
}

async function liftedText(codec: PayloadCodec, type: Continuing['type'], row: ContinuedRow): Promise<string> {
  try {
    const { payload } = liftedFields(type, { payload: await decodeText(type, row), schemaVersion: row.schemaVersion });
    return String(payload);
  } catch (cause) {
    throw codec.unreadable(cause);
  }
}

/** Describes an unreadable encoded payload without the messages of schemas, steps and parsers, because these may quote it. */
export function unreadable(codec: string, cause: unknown): NightcrewError {
  if (codecFailed(cause) || cause instanceof NonRetryableError || cause instanceof RetryAfterError) return cause;
  return new NonRetryableError(`payload: it was encoded by ${codec}, and decoded it is not valid. ${problemOf(cause)}`);
}

function problemOf(cause: unknown): string {
  if (cause instanceof UnfitPayloadError) return `The schema refuses it at ${cause.paths.join(', ')}.`;
  return `Reading it gave ${cause instanceof NightcrewError ? cause.code : 'an error'}.`;
}

/** The text of a codec that answers at once; an asynchronous one is refused. */
function encodedNow(codec: CodecDefinition, json: string, of: PayloadContext): string {
  const text = ask(codec, 'encode', json, of);
  if (!(text instanceof Promise)) return checkEncoded(codec.name, text, of, LIMITS.payloadBytes);
  text.catch(() => {});
  throw new InvalidInputError(
    'payload',
    new Described(`the payload of ${of.type}`),
    `Codec ${codec.name} encodes asynchronously; prepare() needs a synchronous one. Use enqueue().`,
  );
}

function checkEncoded(name: string, text: unknown, { type }: PayloadContext, limit: number): string {
  if (typeof text !== 'string' || text === '')
    throw new PayloadCodecError(
      name,
      'encode',
      type,
      `it gave ${text === '' ? 'an empty text' : `${kindOf(text).text} instead of a text`}`,
    );
  const bytes = utf8Bytes(text);
  if (bytes > limit) throw new PayloadTooLargeError(bytes, limit);
  return text;
}

function ask(codec: CodecDefinition, verb: 'encode' | 'decode', text: string, of: PayloadContext): string | Promise<string> {
  const failed = (cause: unknown): never => failedCodec({ codec: codec.name, verb, type: of.type }, cause);
  try {
    const answer = codec[verb](text, { type: of.type, ...defined({ tenant: of.tenant }) });
    return answer instanceof Promise ? answer.catch(failed) : answer;
  } catch (cause) {
    return failed(cause);
  }
}

/** Rethrows an error of Nightcrew. Replaces any other by one with only its name and code. */
export function failedCodec(
  { codec, verb, type }: { readonly codec: string; readonly verb: 'encode' | 'decode'; readonly type: string },
  cause: unknown,
): never {
  if (cause instanceof NightcrewError) throw cause;
  // Its message and its stack may quote the payload, as those of JSON.parse do.
  const { name, code } = (cause instanceof Error ? cause : {}) as { readonly name?: unknown; readonly code?: unknown };
  const told = [name, code].filter((part) => typeof part === 'string' && /^[\w.-]{1,64}$/.test(part)).join(' ');
  throw new PayloadCodecError(codec, verb, type, `it threw ${told || 'no error with a name'}`);
}
