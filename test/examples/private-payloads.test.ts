import { describe, expect, it } from 'vitest';
import { forgetTenant, KeysInMemory, payOne } from '../../examples/private-payloads/pay-invoice.ts';
import { type KeyService, tenantKeys } from '../../examples/private-payloads/tenant-keys.ts';
import type { PayloadCodec } from '../../shared/index.ts';

const JSON_TEXT = '{"iban":"DE89 3704","name":"Zoë"}';
const of = { type: 'invoice.pay', tenant: 'acme' };

const textOf = async (codec: PayloadCodec): Promise<string> => (await codec.encode(JSON_TEXT, of)).payload;

it('an invoice is stored encrypted and paid as it was enqueued', async () => {
  expect(await payOne()).toBe('stored by tenant-keys, readable: false, paid 500 to DE89 3704');
});

it('the payloads of a tenant are lost with its key', async () => {
  expect(await forgetTenant()).toBe('dead: The key of its tenant was destroyed, and with it the payload.');
});

describe('the codec with a key for each tenant', () => {
  it('gives back what it was given, and another text each time', async () => {
    const codec = tenantKeys(new KeysInMemory());
    const [a, b] = [await textOf(codec), await textOf(codec)];
    expect(a).not.toBe(b);
    expect([await codec.decode(a, of), await codec.decode(b, of)]).toEqual([JSON_TEXT, JSON_TEXT]);
  });

  it('decrypts nothing for another tenant or type, nothing that was changed, and nothing that was cut', async () => {
    const codec = tenantKeys(new KeysInMemory());
    const text = await textOf(codec);
    await codec.encode(JSON_TEXT, { ...of, tenant: 'other' });
    // Not the last character, of which Base64 may use a part only.
    const at = text.lastIndexOf('.') + 1;
    const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
    for (const [given, context] of [
      [text, { ...of, tenant: 'other' }],
      [text, { ...of, type: 'other' }],
      [changed, of],
      [text.slice(0, -8), of],
      ['', of],
    ] as const) {
      await expect((async () => codec.decode(given, context))()).rejects.toBeInstanceOf(Error);
    }
  });

  it('asks the key service once in five minutes for each tenant, however many payloads there are', async () => {
    const service = new KeysInMemory();
    let now = 0;
    const codec = tenantKeys(service, () => now);
    for (let n = 0; n < 5; n++) await codec.encode(JSON_TEXT, of);
    expect(service.asked).toBe(1);
    await codec.encode(JSON_TEXT, { type: 'invoice.pay' });
    expect(service.asked).toBe(2);
    now = 5 * 60_000;
    const text = await textOf(codec);
    expect(service.asked).toBe(3);
    for (let n = 0; n < 5; n++) await codec.decode(text, of);
    expect(service.asked).toBe(4);
  });

  it('reads nothing of a tenant five minutes after its key was destroyed, also where it read it before', async () => {
    const service = new KeysInMemory();
    let now = 0;
    const codec = tenantKeys(service, () => now);
    const text = await textOf(codec);
    expect(await codec.decode(text, of)).toBe(JSON_TEXT);
    service.destroy(of.tenant);
    now = 5 * 60_000;
    await expect(async () => codec.decode(text, of)).rejects.toThrow('destroyed');
  });

  it('asks again after a failure of the key service', async () => {
    const real = new KeysInMemory();
    const away: unknown[] = [new Error('throttled'), new Error('throttled')];
    const flaky = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
      if (away.length > 0) throw away.pop();
      return work();
    };
    const service: KeyService = {
      newKey: async (tenant) => flaky(async () => real.newKey(tenant)),
      openKey: async (tenant, encrypted) => flaky(async () => real.openKey(tenant, encrypted)),
    };
    const codec = tenantKeys(service);
    await expect(async () => codec.encode(JSON_TEXT, of)).rejects.toThrow('it threw Error.');
    away.pop();
    const text = await textOf(codec);
    away.push(new Error('throttled'));
    await expect(async () => codec.decode(text, of)).rejects.toThrow('it threw Error.');
    expect(await codec.decode(text, of)).toBe(JSON_TEXT);
  });
});
