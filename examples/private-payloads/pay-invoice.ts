import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { defineJobWith } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';
import { type KeyService, tenantKeys } from './tenant-keys.ts';

/** Stands in for AWS KMS: a key for each tenant, which can be destroyed. */
export class KeysInMemory implements KeyService {
  readonly #keys = new Map<string, Buffer>();
  asked = 0;

  async newKey(tenant: string): Promise<{ key: Buffer; encrypted: string }> {
    this.asked++;
    const key = randomBytes(32);
    const own = this.#keys.get(tenant) ?? randomBytes(32);
    this.#keys.set(tenant, own);
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', own, iv);
    return { key, encrypted: Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()]).toString('base64url') };
  }

  async openKey(tenant: string, encrypted: string): Promise<Buffer | undefined> {
    this.asked++;
    const own = this.#keys.get(tenant);
    if (own === undefined) return undefined;
    const data = Buffer.from(encrypted, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', own, data.subarray(0, 12), { authTagLength: 16 }).setAuthTag(data.subarray(-16));
    return Buffer.concat([decipher.update(data.subarray(12, -16)), decipher.final()]);
  }

  destroy(tenant: string): void {
    this.#keys.delete(tenant);
  }
}

export const keys = new KeysInMemory();

/** Every job type of this deployment encrypts its payloads. */
const defineJob = defineJobWith({ codec: tenantKeys(keys) });

export const payInvoice = defineJob('invoice.pay', { payload: z.object({ iban: z.string(), cents: z.number() }) });

/** Pays an invoice, and tells what the tables hold of it and what the handler gets. */
export async function payOne(): Promise<string> {
  const paid: string[] = [];
  const kit = createTestKit([payInvoice.handle(({ payload }) => void paid.push(`paid ${payload.cents} to ${payload.iban}`))]);
  const { id } = await kit.client.enqueue(payInvoice, { iban: 'DE89 3704', cents: 500 }, { tenant: 'acme' });
  const stored = await kit.admin.find(id);
  await kit.drain();
  return `stored by ${stored?.codec}, readable: ${stored?.payload?.includes('DE89')}, ${paid.join()}`;
}

/** The tenant leaves, and its key is destroyed: what any table, export or backup holds of its payloads cannot be read any more. */
export async function forgetTenant(): Promise<string> {
  const forgetful = new KeysInMemory();
  const pay = defineJobWith({ codec: tenantKeys(forgetful) })('invoice.pay', { payload: z.object({ iban: z.string() }) });
  const kit = createTestKit([pay.handle(() => undefined)]);
  const { id } = await kit.client.enqueue(pay, { iban: 'DE89 3704' }, { tenant: 'gone', delay: 'PT1H' });
  forgetful.destroy('gone');
  await kit.advance('PT2H');
  await kit.drain();
  const job = await kit.admin.find(id);
  return `${job?.state}: ${job?.error?.message}`;
}
