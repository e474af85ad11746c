import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As much of S3 as payloads need, in this process: buckets with versions, whose objects are put, got by version, deleted and listed. */
export interface S3Wire {
  readonly endpoint: string;
  /** Removes all versions of all objects, as a lifecycle rule does. */
  readonly lose: () => void;
  readonly close: () => Promise<void>;
}

interface Version {
  readonly id: string;
  readonly at: Date;
  /** Absent: a delete marker. */
  readonly body?: Buffer;
}

type Bucket = Map<string, Version[]>;

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** How the service differs from S3. */
export interface S3WireOptions {
  /** May answer a request in the place of the service, with this status, before it was done or after; `method` of a list is `LIST`. */
  readonly fault?: (method: string, phase: 'before' | 'after') => number | undefined;
  /** Whether the caller has `s3:ListBucket`, without which a missing object is answered with 403; asked at each one. Default: it has. */
  readonly mayList?: () => boolean;
  /** Objects of a page. Default 1,000, as of S3. */
  readonly pageSize?: number;
  /** Buckets without versions. Default: they have them. */
  readonly unversioned?: boolean;
}

/** Serves these buckets on loopback. */
export async function startS3Wire(buckets: readonly string[], options: S3WireOptions = {}): Promise<S3Wire> {
  const { fault = () => undefined } = options;
  const all = new Map<string, Bucket>(buckets.map((name) => [name, new Map()]));
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const method = /^\/[^/]+\/?(\?|$)/.test(request.url ?? '') ? 'LIST' : (request.method ?? 'GET');
      const early = fault(method, 'before');
      const answer = early === undefined ? serve(all, request, { body, options }) : failure(early, 'InternalError');
      const late = fault(method, 'after');
      send(response, late === undefined ? answer : failure(late, 'InternalError'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lose() {
      for (const bucket of all.values()) bucket.clear();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Given {
  readonly body: Buffer;
  readonly options: S3WireOptions;
}

function serve(buckets: ReadonlyMap<string, Bucket>, request: IncomingMessage, { body, options }: Given): Answer {
  const url = new URL(request.url ?? '/', 'http://s3');
  const [, name = '', ...rest] = url.pathname.split('/');
  const bucket = buckets.get(name);
  if (bucket === undefined) return failure(404, 'NoSuchBucket');
  const key = decodeURIComponent(rest.join('/'));
  if (key === '') return list(bucket, url.searchParams, options.pageSize);
  const versions = bucket.get(key) ?? [];
  const latest = versions.at(-1);
  switch (request.method) {
    case 'PUT': {
      if (request.headers['if-none-match'] === '*' && latest?.body !== undefined) return failure(412, 'PreconditionFailed');
      {
        const answer = added(bucket, key, plainBody(request, body));
        return options.unversioned === true ? { status: 200 } : answer;
      }
    }
    case 'DELETE':
      return { ...added(bucket, key, undefined), status: 204 };
    default: {
      const wanted = url.searchParams.get('versionId');
      const version = wanted === null ? latest : versions.find(({ id }) => id === wanted);
      if (version?.body === undefined) {
        if (options.mayList?.() === false) return failure(403, 'AccessDenied');
        return failure(404, wanted === null ? 'NoSuchKey' : 'NoSuchVersion');
      }
      const headers = { 'x-amz-version-id': version.id, etag: etagOf(version.body), 'last-modified': version.at.toUTCString() };
      return { status: 200, headers: { ...headers, 'content-length': String(version.body.length) }, body: version.body };
    }
  }
}

function added(bucket: Bucket, key: string, body: Buffer | undefined): Answer {
  const version: Version = { id: randomBytes(16).toString('hex'), at: new Date(), ...(body === undefined ? {} : { body }) };
  bucket.set(key, [...(bucket.get(key) ?? []), version]);
  const etag = body === undefined ? {} : { etag: etagOf(body) };
  return { status: 200, headers: { 'x-amz-version-id': version.id, ...etag } };
}

function list(bucket: Bucket, asked: URLSearchParams, pageSize = 1_000): Answer {
  const after = asked.get('start-after') ?? '';
  const there = [...bucket]
    .flatMap(([key, versions]) => versions.slice(-1).map((version) => ({ key, ...version })))
    .filter(({ key, body }) => body !== undefined && key > after)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const page = there.slice(0, pageSize);
  const contents = page.map(
    ({ key, at, body }) =>
      `<Contents><Key>${key}</Key><LastModified>${at.toISOString()}</LastModified><Size>${body?.length ?? 0}</Size></Contents>`,
  );
  const head = `<IsTruncated>${there.length > page.length}</IsTruncated><KeyCount>${page.length}</KeyCount>`;
  return { status: 200, body: `<ListBucketResult>${head}${contents.join('')}</ListBucketResult>` };
}

/** The SDK may send a body in signed chunks, each with its length before it and a checksum at the end. */
function plainBody(request: IncomingMessage, body: Buffer): Buffer {
  if (request.headers['content-encoding']?.includes('aws-chunked') !== true) return body;
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const end = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, end), 16);
    if (!(size > 0)) break;
    chunks.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(chunks);
}

const etagOf = (body: Buffer): string => `"${createHash('md5').update(body).digest('hex')}"`;

const failure = (status: number, code: string): Answer => ({
  status,
  body: `<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
});

function send(response: ServerResponse, { status, headers = {}, body = '' }: Answer): void {
  response.writeHead(status, { ...(typeof body === 'string' ? { 'content-type': 'application/xml' } : {}), ...headers });
  // The reply to HEAD has the length, and no body.
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
