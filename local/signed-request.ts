import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A request as it came in. `path` and `query` are those of its first line. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** The only key that is known, and the region that a signature must name. */
export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/lambda\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/;
const MAX_SKEW_MS = 5 * 60_000;

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/** Whether a request has a valid AWS Signature Version 4 of this key, for the service `lambda`, made less than five minutes ago. */
export function isSigned({ method, path, query, headers, body }: SignedRequest, key: SigningKey, now: number): boolean {
  const [, accessKeyId, day = '', region = '', names = '', signature = ''] = AUTHORIZATION.exec(headers['authorization'] ?? '') ?? [];
  const date = headers['x-amz-date'] ?? '';
  const signed = names.split(';');
  if (accessKeyId !== key.accessKeyId || region !== key.region || !date.startsWith(day)) return false;
  if (!['host', 'x-amz-date'].every((name) => signed.includes(name)) || !(Math.abs(now - timeOf(date)) <= MAX_SKEW_MS)) return false;
  const lines = signed.map((name) => `${name}:${(headers[name] ?? '').trim()}\n`).join('');
  const canonical = [method, path, canonicalQuery(query), lines, names, sha256(body)].join('\n');
  const scope = `${day}/${region}/lambda/aws4_request`;
  const signing = scope.split('/').reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${key.secretAccessKey}`);
  const expected = hmac(signing, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n'));
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

/** Epoch milliseconds of `20270131T120000Z`; NaN for another text. */
function timeOf(date: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function canonicalQuery(query: string): string {
  const encoded = (text: string): string =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  return [...new URLSearchParams(query)]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&');
}
