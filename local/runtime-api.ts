import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An event for a sandbox, as delivered by the Lambda Runtime API. Instants are epoch milliseconds. */
export interface RuntimeEvent {
  readonly requestId: string;
  readonly deadlineAt: number;
  readonly functionArn: string;
  /** JSON. */
  readonly body: string;
}

/** The error that a sandbox reports. */
export interface RuntimeFailure {
  readonly errorType: string;
  readonly errorMessage: string;
}

/** Receives the calls of the code in the sandbox. Return false to refuse an answer for a request that is not in progress. */
export interface RuntimeListener {
  /** It waits for an event: all its work is done. */
  asked(): void;
  responded(requestId: string, body: string): boolean;
  failed(requestId: string, failure: RuntimeFailure): boolean;
  initFailed(failure: RuntimeFailure): void;
}

/** The Lambda Runtime API for one sandbox. */
export interface RuntimeApi {
  /** The value of `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /** Answers the sandbox that waits for an event. */
  deliver(event: RuntimeEvent): void;
  close(): void;
}

const VERSION = '/2018-06-01/runtime/';

/** Listens on a free loopback port. */
export async function startRuntimeApi(listener: RuntimeListener): Promise<RuntimeApi> {
  let waiting: ServerResponse | undefined;
  const server = createServer((request, response) => {
    const what = `${request.method} ${request.url?.startsWith(VERSION) === true ? request.url.slice(VERSION.length) : '?'}`;
    if (what === 'GET invocation/next') {
      waiting = response;
      listener.asked();
      return;
    }
    // A sandbox that is killed while it speaks has said nothing.
    answer(listener, what, request, response).catch(() => response.destroy());
  });
  await listen(server);
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliver({ requestId, deadlineAt, functionArn, body }) {
      waiting?.writeHead(200, {
        'Content-Type': 'application/json',
        'Lambda-Runtime-Aws-Request-Id': requestId,
        'Lambda-Runtime-Deadline-Ms': String(deadlineAt),
        'Lambda-Runtime-Invoked-Function-Arn': functionArn,
      });
      waiting?.end(body);
      waiting = undefined;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(listener: RuntimeListener, what: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await textOf(request);
  const [, requestId = '', kind] = /^POST invocation\/([^/]+)\/(response|error)$/.exec(what) ?? [];
  if (what === 'POST init/error') {
    listener.initFailed(readFailure(body));
    reply(response, 202, { status: 'OK' });
  } else if (kind === undefined) {
    reply(response, 404, { errorType: 'NotFound' });
  } else if (kind === 'response' ? listener.responded(requestId, body) : listener.failed(requestId, readFailure(body))) {
    reply(response, 202, { status: 'OK' });
  } else {
    reply(response, 400, { errorType: 'InvalidRequestID' });
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function readFailure(body: string): RuntimeFailure {
  try {
    const { errorType, errorMessage } = JSON.parse(body) as Partial<RuntimeFailure>;
    return { errorType: String(errorType), errorMessage: String(errorMessage) };
  } catch {
    return { errorType: 'Unreadable', errorMessage: body };
  }
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
    // A region that was forgotten must not keep its process.
    server.unref();
  });
}
