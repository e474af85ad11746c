import { Readable } from 'node:stream';

/** One HTTP request of an SDK client, as it reached the network. */
export interface SeenRequest {
  /** Operation, such as `PutItem`. */
  readonly operation: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown>;
  readonly requestTimeout?: number;
}

/** The result of one request. */
export type Step = (request: SeenRequest) => Reply | Promise<Reply>;

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** A requestHandler for a real SDK client that plays the given steps, the last one again and again. */
export interface ScriptedHandler {
  readonly requests: SeenRequest[];
  handle(request: unknown, options?: { readonly requestTimeout?: number }): Promise<{ readonly response: never }>;
}

export function scriptedHandler(...steps: readonly Step[]): ScriptedHandler {
  const requests: SeenRequest[] = [];
  return {
    requests,
    handle: async (request, options) => {
      const seen = readRequest(request, options?.requestTimeout);
      requests.push(seen);
      const step = steps[Math.min(requests.length, steps.length) - 1];
      if (step === undefined) throw new Error('the script has no steps');
      const { status, body } = await step(seen);
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      return { response: { statusCode: status, headers, body: Readable.from([Buffer.from(JSON.stringify(body))]) } as never };
    },
  };
}

/** A good answer. */
export const answer =
  (body: unknown = {}): Step =>
  () => ({ status: 200, body });

/** An error of the service, by its name. */
export const serviceError =
  (name: string, more: object = {}, status = 400): Step =>
  () => ({
    status,
    body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name, ...more },
  });

/** The connection breaks before the answer arrives; whether the request was applied is unknown. */
export const brokenConnection =
  (before: () => void = () => {}): Step =>
  () => {
    before();
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', name: 'TimeoutError' });
  };

function readRequest(request: unknown, requestTimeout: number | undefined): SeenRequest {
  const { headers, body, hostname } = request as { headers: Record<string, string>; body: string | Uint8Array; hostname: string };
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return {
    operation: (headers['x-amz-target'] ?? '').split('.')[1] ?? '',
    host: hostname,
    headers,
    body: JSON.parse(text) as Record<string, unknown>,
    ...(requestTimeout === undefined ? {} : { requestTimeout }),
  };
}
