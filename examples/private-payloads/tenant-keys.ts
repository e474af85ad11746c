import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { defineCodec, NonRetryableError, type PayloadCodec, type PayloadContext } from '../../shared/index.ts';

/** Where the key of each tenant is kept: AWS KMS, Vault, an HSM. It encrypts keys, never payloads. */
export interface KeyService {
  /** A fresh key of 256 bits for payloads of the tenant, in the clear and encrypted. `GenerateDataKey` of KMS gives both. */
  readonly newKey: (tenant: string) => Promise<{ readonly key: Buffer; readonly encrypted: string }>;
  /** The key in the clear, or undefined if that of the tenant was destroyed. `Decrypt` of KMS. */
  readonly openKey: (tenant: string, encrypted: string) => Promise<Buffer | undefined>;
}

const KEPT_MS = 5 * 60_000;
const MOST_KEPT = 1_000;
const TAG_BYTES = 16;

/**
 * Encrypts payloads with AES-256-GCM. The key of a payload is stored with it, encrypted by the key of its tenant: an envelope. A process
 * uses one for five minutes, so the key service is asked once in that time and not for each job.
 */
export function tenantKeys(service: KeyService, now: () => number = Date.now): PayloadCodec {
  const writing: Keeping<Awaited<ReturnType<KeyService['newKey']>>> = new Map();
  const opened: Keeping<Buffer | undefined> = new Map();
  const keyFor = async (tenant: string) => kept(writing, tenant, async () => service.newKey(tenant), now());
  const open = async (tenant: string, encrypted: string) =>
    kept(opened, `${tenant} ${encrypted}`, async () => service.openKey(tenant, encrypted), now());

  return defineCodec({
    name: 'tenant-keys',
    async encode(json, context) {
      const { key, encrypted } = await keyFor(tenantOf(context));
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(boundTo(context));
      const data = Buffer.concat([cipher.update(json, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return [encrypted, iv.toString('base64url'), data.toString('base64url')].join('.');
    },
    async decode(text, context) {
      const [encrypted = '', iv = '', sealed = ''] = text.split('.');
      const key = await open(tenantOf(context), encrypted);
      if (key === undefined) throw new NonRetryableError('The key of its tenant was destroyed, and with it the payload.');
      const data = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), { authTagLength: TAG_BYTES });
      decipher.setAAD(boundTo(context)).setAuthTag(data.subarray(-TAG_BYTES));
      return decipher.update(data.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    },
  });
}

const tenantOf = ({ tenant = 'shared' }: PayloadContext): string => tenant;

/** A text that was moved to a job of another type or tenant does not decrypt. */
const boundTo = ({ type, tenant }: PayloadContext): Buffer => Buffer.from(JSON.stringify([type, tenant ?? null]));

/** Answers of the key service, each for a time. */
type Keeping<Value> = Map<string, { readonly value: Promise<Value>; readonly until: number }>;

/** An answer that is kept, or a new one, which is kept unless it fails. The oldest ones go first. */
async function kept<Value>(answers: Keeping<Value>, name: string, ask: () => Promise<Value>, now: number): Promise<Value> {
  const there = answers.get(name);
  if (there !== undefined && there.until > now) return there.value;
  const value = ask();
  answers.set(name, { value, until: now + KEPT_MS });
  if (answers.size > MOST_KEPT) answers.delete(answers.keys().next().value ?? name);
  value.catch(() => answers.delete(name));
  return value;
}
