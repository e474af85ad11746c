import { describe, expect, it } from 'vitest';
import {
  type CodecDefinition,
  defineCodec,
  defineJob,
  defineJobWith,
  InvalidInputError,
  NonRetryableError,
  type PayloadCodec,
  PayloadCodecError,
  RetryAfterError,
} from '../../../shared/index.ts';
import { decodeText, knowsCodec, unreadablePayload } from '../../../shared/job/payload-codec.ts';
import { PayloadTooLargeError } from '../../../shared/job/errors.ts';
import { UnfitPayloadError } from '../../../shared/job/validate.ts';
import { anyPayload as payload } from '../../support/any-payload.ts';

const definition = (name: string, more: Partial<CodecDefinition> = {}): CodecDefinition => ({
  name,
  encode: (json) => `${name}:${json}`,
  decode: (text) => text.slice(name.length + 1),
  ...more,
});
const codecOf = (name: string, more: Partial<CodecDefinition> = {}): PayloadCodec => defineCodec(definition(name, more));
const [one, two] = [codecOf('one'), codecOf('two')];
const of = { type: 'order', tenant: 'acme' };

async function refused(work: () => unknown): Promise<Error> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was refused');
}

describe('the codecs of a job type', () => {
  it('are the one that encodes, and all that decode', () => {
    const type = defineJob('order', { payload, codec: one, readCodecs: [two] });
    expect(type.codec).toBe(one);
    expect([...(type.codecs?.keys() ?? [])]).toEqual(['one', 'two']);
    expect([{}, { codec: 'two' }, { codec: 'three' }].map((job) => knowsCodec(type, job))).toEqual([true, true, false]);
  });

  it('may be older ones only, so that new payloads are stored as JSON', () => {
    const type = defineJob('order', { payload, readCodecs: [two] });
    expect(type).not.toHaveProperty('codec');
    expect(knowsCodec(type, { codec: 'two' })).toBe(true);
  });

  it('are absent from a type without any', () => {
    const type = defineJob('order', { payload });
    expect(['codec' in type, 'codecs' in type, knowsCodec(type, { codec: 'one' })]).toEqual([false, false, false]);
  });

  it('are the same for all types of a deployment, unless one says otherwise', () => {
    const define = defineJobWith({ codec: one });
    expect(define('a', { payload }).codec).toBe(one);
    expect(define('b', { payload, codec: two }).codec).toBe(two);
    expect(() => defineJobWith({ codec: definition('plain') as never })).toThrow('codec');
    expect(() => defineJobWith({ worker: 'other' } as never)).toThrow('worker');
  });

  it.each([
    [{ codec: 'aes' }, 'codec'],
    [{ codec: definition('aes') }, 'codec'],
    [{ readCodecs: one }, 'readCodecs'],
    [{ readCodecs: [one, null] }, 'readCodecs[1]'],
    [{ codec: one, readCodecs: [codecOf('one')] }, 'readCodecs'],
  ])('are refused as %j', (options, field) => {
    const define = (): unknown => defineJob('order', { payload, ...(options as object) });
    expect(define).toThrow(InvalidInputError);
    expect(define).toThrow(new RegExp(`^${field.replaceAll(/[[\]]/g, '\\$&')}: `));
  });
});

describe('a codec', () => {
  it('is given the JSON text, the type and the tenant, and nothing else', async () => {
    const asked: unknown[] = [];
    const noting = codecOf('one', {
      encode: async (...given) => {
        asked.push(given);
        return 'text';
      },
      decode: (...given) => {
        asked.push(given);
        return '{}';
      },
    });
    const job = { ...of, id: 'secret', payload: 'text', codec: 'one' };
    expect(await noting.encode('{"a":1}', job)).toEqual({ payload: 'text', codec: 'one' });
    expect(await decodeText({ codecs: new Map([['one', noting]]) }, { ...job, tenant: 'b' })).toBe('{}');
    const { tenant: _tenant, ...free } = job;
    await noting.encode('{}', free);
    expect(asked).toEqual([
      ['{"a":1}', of],
      ['text', { type: 'order', tenant: 'b' }],
      ['{}', { type: 'order' }],
    ]);
  });

  it('may answer at once where nothing waits, and is refused there if it does not', async () => {
    expect(one.encodeNow('{}', of)).toEqual({ payload: 'one:{}', codec: 'one' });
    const slow = codecOf('slow', { encode: async () => Promise.reject(new Error('later')) });
    expect((await refused(() => slow.encodeNow('{"secret":1}', of))).message).toBe(
      'payload: the payload of order is not valid. Codec slow encodes asynchronously; prepare() needs a synchronous one. Use enqueue().',
    );
  });

  it.each([
    ['throws', () => JSON.parse('{"secret') as string, 'it threw SyntaxError'],
    [
      'rejects',
      async () => Promise.reject(Object.assign(new Error('secret'), { name: 'AccessDenied', code: 'KMS_403' })),
      'it threw AccessDenied KMS_403',
    ],
    [
      'throws what has an odd name',
      () => raise(Object.assign(new Error('x'), { name: 'a secret', code: 5 })),
      'it threw no error with a name',
    ],
    ['throws no error', async () => raise('secret'), 'it threw no error with a name'],
    ['gives no text', () => 7 as never, 'it gave a number instead of a text'],
  ])('that %s fails with an error that quotes nothing', async (_case, broken, why) => {
    const codec = codecOf('one', { encode: broken, decode: broken });
    const [encoding, decoding] = [
      await refused(async () => codec.encode('{"secret":1}', of)),
      await refused(async () => decodeText({ codecs: new Map([['one', codec]]) }, { ...of, payload: 'secret', codec: 'one' })),
    ];
    expect(encoding.message).toBe(`payload: codec "one" could not encode a payload of job type "order": ${why}.`);
    expect(decoding.message).toBe(`payload: codec "one" could not decode a payload of job type "order": ${why}.`);
    expect(encoding).toBeInstanceOf(PayloadCodecError);
    expect(encoding).toMatchObject({ name: 'PayloadCodecError', code: 'CODEC_FAILED', retryable: true });
    expect(encoding.cause).toBeUndefined();
  });

  it('may throw an error of Nightcrew, which stays what it is', async () => {
    const final = new NonRetryableError('The key was destroyed.');
    const codec = codecOf('one', { decode: () => raise(final) });
    expect(await refused(async () => decodeText({ codecs: new Map([['one', codec]]) }, { ...of, payload: 'x', codec: 'one' }))).toBe(final);
  });

  it('must give a text that is not empty and fits into the row', async () => {
    expect((await refused(async () => codecOf('one', { encode: () => '' }).encode('{}', of))).message).toContain('an empty text');
    const long = codecOf('one', { encode: (json) => json.repeat(2) });
    expect((await refused(async () => long.encodeState('ä'.repeat(16_385), of))).message).toMatch(/^state: 65540 bytes/);
    expect(await long.encodeState('ä'.repeat(16_384), of)).toHaveLength(32_768);
    expect(await refused(async () => long.encode('x'.repeat(131_073), of))).toBeInstanceOf(PayloadTooLargeError);
    expect(await refused(() => codecOf('one', { encode: () => 'x'.repeat(262_145) }).encodeNow('{}', of))).toBeInstanceOf(
      PayloadTooLargeError,
    );
  });

  it('is asked for by the name in the row; without one the text is JSON already', async () => {
    const type = defineJob('order', { payload, codec: one, readCodecs: [two] });
    expect(await decodeText(type, { ...of, payload: 'two:{"a":1}', codec: 'two' })).toBe('{"a":1}');
    expect(await decodeText(type, { ...of, payload: '{"a":1}' })).toBe('{"a":1}');
    expect((await refused(async () => decodeText(type, { ...of, payload: 'x', codec: 'three' }))).message).toContain(
      'Give it to job type order in readCodecs.',
    );
  });
});

describe('a definition of a codec', () => {
  it.each([
    [definition(''), 'name'],
    [definition('a,b'), 'name'],
    [definition('x'.repeat(65)), 'name'],
    [definition(7 as never), 'name'],
    [definition('aes', { encode: 'aes' as never }), 'encode'],
    [definition('aes', { decode: undefined as never }), 'decode'],
    [definition('aes', { key: 'k' } as never), 'key'],
  ])('is refused as %j', (given, field) => {
    expect(() => defineCodec(given)).toThrow(InvalidInputError);
    expect(() => defineCodec(given)).toThrow(field);
  });

  it('may have a name of 64 characters', () => {
    expect(codecOf('x'.repeat(64)).name).toHaveLength(64);
  });
});

describe('an encoded payload that cannot be read', () => {
  const unfit = new UnfitPayloadError('order', [{ path: 'card.number', message: 'got 4111' }]);

  it('is told by its paths or by a code, without what a schema or a step says', () => {
    expect(one.unreadable(unfit).message).toBe(
      'payload: it was encoded by one, and decoded it is not valid. The schema refuses it at card.number.',
    );
    expect(one.unreadable(new InvalidInputError('a', '4111', 'no')).message).toMatch(/Reading it gave INVALID_INPUT\.$/);
    expect(one.unreadable(new SyntaxError('4111')).message).toMatch(/Reading it gave an error\.$/);
    expect(one.unreadable(unfit).cause).toBeUndefined();
  });

  it('is given back as it is if a later try may read it, or its codec decided', () => {
    const decided = [new NonRetryableError('why'), new RetryAfterError('why', 60_000)];
    for (const error of [new PayloadCodecError('one', 'decode', 'order', 'why'), ...decided]) {
      expect(one.unreadable(error)).toBe(error);
    }
  });

  it('is told by the codec of its row', () => {
    const codecs = new Map([['one', one]]);
    expect(unreadablePayload({ codecs }, { codec: 'one' }, new Error('4111')).message).not.toContain('4111');
    expect(unreadablePayload({ codecs }, {}, new Error('4111')).message).toBe('4111');
  });

  it('is told in full if it was stored as JSON', () => {
    expect(unreadablePayload({ codecs: new Map() }, {}, unfit)).toMatchObject({
      name: 'NonRetryableError',
      message: unfit.message,
      cause: unfit,
    });
    expect(unreadablePayload({ codecs: new Map() }, {}, 'odd').message).toBe('The payload is not valid.');
  });
});

function raise(error: unknown): never {
  throw error;
}
