import { describe, expect, onTestFinished, test } from 'vitest';
import { type S3WireOptions, startS3Wire } from '../support/s3-wire.ts';
import { createMemoryPayloads } from '../../shared/adapters/memory/payloads.ts';
import { s3Payloads } from '../../shared/adapters/s3/index.ts';
import { makeJobId } from '../../shared/job/job-id.ts';
import type { PayloadStore } from '../../shared/ports/payload-store.ts';
import { payloadsContract } from '../../testing/contract/payloads-contract.ts';

const ID = makeJobId(0, new Uint8Array(10));

/** The adapter over the real SDK, which talks to S3 on loopback. */
async function onWire(options?: S3WireOptions): Promise<PayloadStore> {
  const wire = await startS3Wire(['payloads'], options);
  onTestFinished(wire.close);
  const keys = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  return s3Payloads({
    environment: { AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_S3: wire.endpoint, NIGHTCREW_PAYLOADS: 'payloads', ...keys },
  });
}

describe('payloads in memory', () => {
  test.each(payloadsContract)('$title', async ({ check }) => check({ payloads: createMemoryPayloads(), now: () => 0 }));

  test('are given in pages', async () => {
    const payloads = createMemoryPayloads({ pageSize: 2 });
    for (let n = 0; n < 3; n++) await payloads.put(ID, String(n));
    const { payloads: first, next } = await payloads.list();
    expect([first.length, next === first[1]?.key, await payloads.list(next)]).toMatchObject([2, true, { payloads: [{ bytes: 1 }] }]);
  });
});

describe('payloads in S3', () => {
  test.each(payloadsContract)('$title', async ({ check }) => check({ payloads: await onWire(), now: Date.now }));

  test('are given in pages, each after the last key of the one before', async () => {
    const payloads = await onWire({ pageSize: 2 });
    for (let n = 0; n < 3; n++) await payloads.put(ID, String(n));
    const { payloads: first, next } = await payloads.list();
    expect([first.length, next === first[1]?.key, await payloads.list(next)]).toMatchObject([2, true, { payloads: [{ bytes: 1 }] }]);
  });

  test('are put once where the answer was lost: the second attempt finds the version of the first', async () => {
    let lost = false;
    const payloads = await onWire({
      fault(method, phase) {
        if (method !== 'PUT' || phase === 'before' || lost) return undefined;
        lost = true;
        return 500;
      },
    });
    const ref = await payloads.put(ID, 'text');
    expect([lost, await payloads.get(ref), (await payloads.list()).payloads.length]).toEqual([true, 'text', 1]);
  });

  test('are put again while another attempt for the key is under way, but not for ever', async () => {
    let left = 2;
    const fault = (method: string, phase: string) => (method === 'PUT' && phase === 'before' && left-- > 0 ? 409 : undefined);
    const payloads = await onWire({ fault });
    expect(await payloads.get(await payloads.put(ID, 'text'))).toBe('text');
    left = 3;
    await expect(payloads.put(ID, 'text')).rejects.toMatchObject({ $metadata: { httpStatusCode: 409 } });
  });

  test('are not said to be gone while S3 does not answer', async () => {
    const payloads = await onWire({ fault: (method) => (method === 'GET' ? 503 : undefined) });
    const ref = await payloads.put(ID, 'text');
    await expect(payloads.get(ref)).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
  });

  test('name what is missing, and what keeps no versions', async () => {
    await expect(s3Payloads({ environment: {} }).put(ID, 'x')).rejects.toThrow('NIGHTCREW_PAYLOADS');
    await expect(s3Payloads({ environment: {}, deployment: 'billing' }).list()).rejects.toThrow('NIGHTCREW_PAYLOADS_billing');
    await expect((await onWire({ unversioned: true })).put(ID, 'x')).rejects.toThrow('payloads keeps no versions');
    expect(() => s3Payloads({ bucket: '' })).toThrow('bucket');
    expect(() => s3Payloads({ deployment: 'a b' })).toThrow('deployment');
    expect(() => s3Payloads({ region: 'x' } as never)).toThrow('region');
  });
});
