import { createHash } from 'node:crypto';

/** base64url(SHA-256) of a text: 43 ASCII characters, valid in a `MessageGroupId` or a key for any text. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64url');
}

/** A number from 0 to 2^32 - 1, spread evenly over any texts. */
export function hash32(text: string): number {
  return createHash('sha256').update(text, 'utf8').digest().readUInt32BE(0);
}

/** A scope such as type + tenant + key as one text in which no part can run into the next. */
export function joinParts(parts: readonly string[]): string {
  return parts.map((part) => `${part.length}:${part}`).join('');
}

/** A tenant as it appears in logs: enough to find its lines again, not enough to read its name. */
export function tenantHash(tenant: string): string {
  return sha256(tenant).slice(0, 12);
}
