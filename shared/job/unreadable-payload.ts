import { type NightcrewError, NonRetryableError } from './errors.ts';
import type { CodedPayload, TypeCodecs } from './payload-codec.ts';

/** Why a stored payload can never be run: it does not change between tries. Of an encoded one its codec tells what may be told. */
export function unreadablePayload({ codecs }: TypeCodecs, { codec }: Pick<CodedPayload, 'codec'>, cause: unknown): NightcrewError {
  const coded = codec === undefined ? undefined : codecs?.get(codec);
  return coded?.unreadable(cause) ?? new NonRetryableError(cause instanceof Error ? cause.message : 'The payload is not valid.', { cause });
}
