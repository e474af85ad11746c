import { continuedWith, failedCodec, PayloadCodecError, unreadable } from '../../../job/define-codec.ts';
import { Described, InvalidInputError, NonRetryableError, PayloadTooLargeError } from '../../../job/errors.ts';
import { sha256 } from '../../../job/hash.ts';
import { checkEachOption, type OptionChecks, withMethods } from '../../../job/option-checks.ts';
import type { EncodedPayload, PayloadCodec, PayloadOwner } from '../../../job/payload-codec.ts';
import { LIMITS, utf8Bytes } from '../../../job/size-limits.ts';
import type { PayloadStore } from '../../../ports/payload-store.ts';
import { type Claim, inlineText, readClaim } from './claim.ts';

/** Options of `claimCheck`. */
export interface ClaimCheckOptions {
  /** Where large payloads are kept: `s3Payloads()` of `nightcrew/s3`, or `createMemoryPayloads()` of `nightcrew/testing`. */
  readonly store: PayloadStore;
  /** Payloads of more bytes, as they are stored, go there. Default 16 KB. */
  readonly above?: number;
  /** Encodes payloads first, large and small ones. Default: none. */
  readonly codec?: PayloadCodec;
}

const DEFAULT_ABOVE = 16 * 1024;

const CHECKS: OptionChecks<ClaimCheckOptions> = {
  store: withMethods(['put', 'get', 'delete', 'list'], 'Give a payload store, such as s3Payloads() of nightcrew/s3.'),
  above(field, value) {
    if (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= LIMITS.payloadBytes) return;
    throw new InvalidInputError(field, value, `Use a whole number of bytes from 0 to ${LIMITS.payloadBytes}, which is what a row takes.`);
  },
  codec: withMethods(['encode', 'encodeState'], 'Give a codec: defineCodec({ name, encode, decode }).'),
};

/**
 * A codec that keeps large payloads outside the rows: a row has a claim, which names the text in the store. The text is stored before the row is
 * written. Throws InvalidInputError.
 */
export function claimCheck(options: ClaimCheckOptions): PayloadCodec {
  checkEachOption(options, CHECKS);
  checkEachOption({ store: options.store }, CHECKS);
  const { store, above = DEFAULT_ABOVE, codec: inner } = options;
  if (inner?.perJob === true) throw new InvalidInputError('codec', inner.name, 'Give the codec of the payloads, not another claim check.');
  const name = inner === undefined ? 'claim-check' : `claim-check-${inner.name}`;
  const coded = async (json: string, of: PayloadOwner): Promise<EncodedPayload> =>
    inner === undefined ? { payload: json } : inner.encode(json, of, LIMITS.claimedBytes);
  const keep = async (id: string, text: string, type: string): Promise<string> => {
    const failed = (cause: unknown): never => failedCodec({ codec: name, verb: 'encode', type }, cause);
    const { key, version } = await store.put(id, text).catch(failed);
    return JSON.stringify({ key, version, bytes: utf8Bytes(text), sha256: sha256(text) } satisfies Claim);
  };
  const fetched = async (claim: Claim, type: string): Promise<string> => {
    const failed = (cause: unknown): never => failedCodec({ codec: name, verb: 'decode', type }, cause);
    const text = await store.get(claim).catch(failed);
    if (text === undefined) throw new NonRetryableError(`payload: ${claim.key} is not in the payload store any more.`);
    if (sha256(text) === claim.sha256) return text;
    throw new PayloadCodecError(name, 'decode', type, 'the payload store gave another text than was stored');
  };
  const codec: PayloadCodec = {
    name,
    payloadBytes: LIMITS.claimedBytes,
    perJob: true,
    ...(inner === undefined ? {} : { within: inner }),
    async encode(json, of) {
      const stored = await coded(json, of);
      if (utf8Bytes(stored.payload) > above && of.id !== undefined) {
        return { payload: await keep(of.id, stored.payload, of.type), codec: name };
      }
      return fitsRow(stored);
    },
    encodeNow(json, of) {
      const fix = 'prepare() cannot wait for the payload store. Use enqueue().';
      if (utf8Bytes(json) > LIMITS.payloadBytes) throw new InvalidInputError('payload', new Described(`the payload of ${of.type}`), fix);
      return inner === undefined ? { payload: json } : inner.encodeNow(json, of);
    },
    encodeState: async (json, of) => inlineText(inner === undefined ? json : await inner.encodeState(json, of)),
    async decode(stored, of) {
      const read = readClaim(stored);
      if (read === undefined) throw new PayloadCodecError(name, 'decode', of.type, 'the row has no claim');
      const text = typeof read === 'string' ? read : await fetched(read, of.type);
      return inner === undefined ? text : inner.decode(text, of);
    },
    async continued(type, row, state) {
      const kept = async (json: string): Promise<string> => {
        const { payload } = await coded(json, row);
        return utf8Bytes(payload) > above && row.id !== undefined ? keep(row.id, payload, row.type) : inlineText(payload);
      };
      return continuedWith(codec, kept, { type, row, state });
    },
    async discard(stored) {
      const read = readClaim(stored);
      if (typeof read === 'object') await store.delete(read.key);
    },
    unreadable: (cause) => unreadable(name, cause),
  };
  return codec;
}

function fitsRow(stored: EncodedPayload): EncodedPayload {
  const bytes = utf8Bytes(stored.payload);
  if (bytes > LIMITS.payloadBytes) throw new PayloadTooLargeError(bytes, LIMITS.payloadBytes);
  return stored;
}
