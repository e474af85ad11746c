import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One request as it arrived. */
export interface WireRequest {
  /** Operation, such as `PutItem`. */
  readonly operation: string;
  readonly body: Record<string, unknown>;
  readonly authorization: string;
  /** Counts all requests, from 1. */
  readonly turn: number;
}

/** The result of a request: an answer, a reset connection, no answer, or the answer of the service behind this one. */
export type WireAnswer = { readonly status?: number; readonly body?: unknown; readonly date?: Date } | 'reset' | 'silence' | 'forward';

/** A server on loopback that speaks as AWS does. */
export interface WireServer {
  readonly endpoint: string;
  readonly requests: readonly WireRequest[];
}

/** Starts one that answers with `answer`; closed when the test ends. `behind`: the endpoint to which it forwards. */
export async function wireServer(answer: (request: WireRequest) => WireAnswer, behind?: string): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then(async (text) => {
      const body = JSON.parse(text) as Record<string, unknown>;
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
      const authorization = request.headers.authorization ?? '';
      const seen = { operation, body, authorization, turn: requests.length + 1 };
      requests.push(seen);
      const chosen = answer(seen);
      const said = chosen === 'forward' ? await forwarded(behind ?? '', request, text) : chosen;
      if (said === 'reset') request.socket.resetAndDestroy();
      if (typeof said === 'string') return;
      response.setHeader('content-type', 'application/x-amz-json-1.0');
      response.setHeader('date', (said.date ?? new Date()).toUTCString());
      response.statusCode = said.status ?? 200;
      response.end(JSON.stringify(said.body ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

async function forwarded(endpoint: string, request: IncomingMessage, body: string): Promise<Exclude<WireAnswer, string>> {
  const headers = Object.fromEntries(
    ['x-amz-target', 'x-amz-date', 'authorization', 'content-type'].map((name) => [name, String(request.headers[name] ?? '')]),
  );
  const reply = await fetch(endpoint, { method: 'POST', headers, body });
  return { status: reply.status, body: await reply.json() };
}

/** An error of a service, by its name. */
export const wireError = (name: string, more: object = {}, status = 400): Exclude<WireAnswer, string> => ({
  status,
  body: { __type: `com.amazonaws#${name}`, message: name, ...more },
});
