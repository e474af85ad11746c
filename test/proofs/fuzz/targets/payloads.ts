import { isDeepStrictEqual } from 'node:util';
import { decodePayload, encodePayload } from '../../../../shared/job/payload.ts';
import { LIMITS, utf8Bytes } from '../../../../shared/job/size-limits.ts';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';
import { hostileTree, materialise } from '../hostile-values.ts';
import { settled } from '../typed-errors.ts';

/** Any payload: refused by name, or stored as JSON that reads back the same. */
export const payloads: FuzzTarget = fuzzTarget({
  name: 'payloads',
  shortRuns: 200,
  longestMs: 3_000,
  input: () => hostileTree({ traps: true }),
  check(tree) {
    const payload = materialise(tree);
    const encoded = settled(() => encodePayload(payload), ['INVALID_INPUT', 'PAYLOAD_TOO_LARGE']);
    if (!encoded.ok) return;
    const json = encoded.value;
    if (utf8Bytes(json) > LIMITS.payloadBytes) throw new Error('It is larger than a row can hold.');
    const decoded = decodePayload(json);
    if (!isDeepStrictEqual(decoded, JSON.parse(json))) throw new Error('It reads back as something else.');
    if (encodePayload(decoded) !== json) throw new Error('Written again it is another text.');
  },
});
