import { type NightcrewError, NonRetryableError } from './errors.ts';
import type { CodedPayload, TypeCodecs } from './payload-codec.ts';

/** Error of a stored payload that can never run, because it does not change between tries. For an encoded payload its codec chooses the message. */
export function unreadablePayload({ codecs }: TypeCodecs, { codec }: Pick<CodedPayload, 'codec'>, cause: unknown): NightcrewError {
  const coded = codec === undefined ? undefined : codecs?.get(codec);
  return coded?.unreadable(cause) ?? new NonRetryableError(cause instanceof Error ? cause.message : 'The payload is not valid.', { cause });
}
