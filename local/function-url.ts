import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpAnswer, HttpEvent } from '../functions/api/function-url.ts';
import { isSigned, type SigningKey } from './signed-request.ts';

/** A function behind a URL with IAM's authorization, as far as one machine can have it. */
export interface FunctionUrlOptions {
  readonly handler: (
    event: HttpEvent,
    context: { readonly awsRequestId: string; getRemainingTimeInMillis(): number },
  ) => Promise<HttpAnswer>;
  readonly key: SigningKey;
  readonly timeoutMs: number;
  /** Receives what the function threw; its caller gets 502, as from Lambda. */
  readonly onProblem?: (what: string, error: unknown) => void;
}

/** A URL that is served. */
export interface ServedUrl {
  readonly url: string;
  close(): Promise<void>;
}

const FORBIDDEN: HttpAnswer = { statusCode: 403, headers: { 'content-type': 'application/json' }, body: '{"Message":"Forbidden"}' };
const FAILED: HttpAnswer = {
  statusCode: 502,
  headers: { 'content-type': 'application/json' },
  body: '{"Message":"Internal Server Error"}',
};

/** Serves a function on a free port of the loopback interface. A request without a valid signature never reaches it. */
export async function serveFunctionUrl(options: FunctionUrlOptions): Promise<ServedUrl> {
  let requests = 0;
  const server = createServer((request, response) => {
    void answerOf(options, request, `url-${++requests}`).then(({ statusCode, headers, body }) =>
      response.writeHead(statusCode, headers).end(body),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answerOf(
  { handler, key, timeoutMs, onProblem }: FunctionUrlOptions,
  request: IncomingMessage,
  awsRequestId: string,
): Promise<HttpAnswer> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = '' } = request;
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(',')]));
    if (!isSigned({ method, path, query, headers, body }, key, Date.now())) return FORBIDDEN;
    const until = Date.now() + timeoutMs;
    const event = { rawPath: path, rawQueryString: query, headers, requestContext: { http: { method } }, isBase64Encoded: false };
    const context = { awsRequestId, getRemainingTimeInMillis: () => until - Date.now() };
    return await handler(body.length === 0 ? event : { ...event, body: body.toString('utf8') }, context);
  } catch (error) {
    onProblem?.('external API', error);
    return FAILED;
  }
}
