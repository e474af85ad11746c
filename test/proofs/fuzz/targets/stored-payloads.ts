import fc from 'fast-check';
import { decodePayload, encodePayload } from '../../../../shared/job/payload.ts';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';
import { settled } from '../typed-errors.ts';

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '"a"',
  '"__proto__"',
  '"constructor"',
  '"prototype"',
  '1e999',
  '-0',
  'null',
  '\\ud83d',
  ' ',
];

const jsonLike = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...TOKENS), { maxLength: 30 }).map((parts) => parts.join('')),
    fc.tuple(fc.json(), fc.constantFrom('__proto__', 'constructor')).map(([json, name]) => `{"${name}":{"prototype":${json}}}`),
    fc.nat(200_000).map((depth) => '['.repeat(depth)),
    fc.nat(2_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  );

/** Any text stored as a payload: if it can be read, it can be written again and stays the same. */
export const storedPayloads: FuzzTarget = fuzzTarget({
  name: 'stored-payloads',
  shortRuns: 500,
  longestMs: 2_000,
  input: jsonLike,
  check(text) {
    const decoded = settled(() => decodePayload(text), ['INVALID_INPUT']);
    if (!decoded.ok) return;
    const again = settled(() => encodePayload(decoded.value), ['PAYLOAD_TOO_LARGE']);
    if (again.ok && encodePayload(decodePayload(again.value)) !== again.value) throw new Error('Written again it is another text.');
  },
});
