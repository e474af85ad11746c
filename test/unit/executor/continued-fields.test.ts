import { describe, expect, it } from 'vitest';
import { continuedFields } from '../../../functions/executor/record.ts';
import type { LeasedJob } from '../../../shared/job/job.ts';
import { type CodecDefinition, defineCodec, defineJob, PayloadCodecError } from '../../../shared/index.ts';
import { anyPayload as payload } from '../../support/any-payload.ts';

const mark: CodecDefinition = { name: 'mark', encode: (json) => `~${json}`, decode: (text) => text.slice(1) };
const codec = defineCodec(mark);
const upcast = { 1: ({ a }: { a: string }) => (a === 'bad' ? raise(new Error(`found ${a}`)) : { b: a }) };
const type = defineJob('long', { payload, codec, version: 2, upcast });

const jobOf = (more: object): LeasedJob => ({ id: 'id', type: 'long', schemaVersion: 2, ...more }) as LeasedJob;

describe('what a row gets for its next run', () => {
  it('is the state as JSON where its payload is JSON, although its type has a codec by now', async () => {
    expect(await continuedFields(type, jobOf({ payload: '{"b":1}' }), '{"at":1}')).toEqual({ state: '{"at":1}' });
    expect(await continuedFields(type, jobOf({ payload: '{"a":"x"}', schemaVersion: 1 }), '1')).toEqual({
      state: '1',
      payload: '{"b":"x"}',
      schemaVersion: 2,
    });
  });

  it('is encoded as the payload is, and the payload only if a step lifted it', async () => {
    expect(await continuedFields(type, jobOf({ payload: '~{"b":1}', codec: 'mark' }), '{"at":1}')).toEqual({ state: '~{"at":1}' });
    for (const schemaVersion of [0, 1]) {
      expect(await continuedFields(type, jobOf({ payload: '~{"a":"x"}', codec: 'mark', schemaVersion }), '1')).toEqual({
        state: '~1',
        payload: '~{"b":"x"}',
        schemaVersion: 2,
      });
    }
  });

  it('is the codec of the row, not the one that the type has now', async () => {
    const later = defineJob('long', {
      payload,
      codec: defineCodec({ ...mark, name: 'later', encode: () => 'later' }),
      readCodecs: [codec],
    });
    expect(await continuedFields(later, jobOf({ payload: '~{}', codec: 'mark', schemaVersion: 1 }), '1')).toEqual({ state: '~1' });
  });

  it('is not told by a step that throws now: its message may quote the payload', async () => {
    const job = jobOf({ payload: '~{"a":"bad"}', codec: 'mark', schemaVersion: 1 });
    await expect(continuedFields(type, job, '1')).rejects.toThrow(
      'payload: it was encoded by mark, and decoded it is not valid. Reading it gave UPCAST_THREW.',
    );
  });

  it('is an error of the codec if that fails, and of the state if its text is larger than a state may be', async () => {
    const away = defineJob('long', { payload, codec: defineCodec({ ...mark, encode: () => raise(new Error('away')) }) });
    const job = jobOf({ payload: '~{}', codec: 'mark', schemaVersion: 1 });
    await expect(continuedFields(away, job, '1')).rejects.toBeInstanceOf(PayloadCodecError);
    await expect(continuedFields(type, { ...job, schemaVersion: 2 }, 'x'.repeat(65_536))).rejects.toThrow(/^state: 65537 bytes/);
  });
});

function raise(error: Error): never {
  throw error;
}
