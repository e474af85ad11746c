import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createDynamoClient, type DynamoClientOptions } from '../../../../shared/adapters/dynamodb/client.ts';
import { EMULATOR_ACCESS } from '../../../support/emulator-access.ts';

/** A request as it reaches the network. */
export interface WireRequest {
  /** Operation, such as `PutItem`. */
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The same for all attempts that the SDK makes of one call. */
  readonly call: string;
}

/** An answer of a service as it goes over the wire. */
export interface WireReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the service's clock says; left out, nobody compares clocks. */
  readonly date?: Date;
}

/** How long the SDK gives one attempt, and what ends it. */
export interface AttemptTerms {
  readonly requestTimeout?: number;
  readonly abortSignal?: AbortSignal;
}

/** What carries requests instead of a network. */
export type Wire = (request: WireRequest, terms: AttemptTerms) => Promise<WireReply>;

/** The part of an SDK's request that a wire reads. */
interface SdkRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** A requestHandler of the SDK over a wire of our own: nothing leaves the process, and no timer of the machine runs. */
export function wireHandler(wire: Wire) {
  return {
    handle: async (request: unknown, terms: unknown = {}) => {
      const { status, body, date } = await wire(read(request as SdkRequest), terms as AttemptTerms);
      const headers = { 'content-type': 'application/x-amz-json-1.0', ...(date === undefined ? {} : { date: date.toUTCString() }) };
      return { response: { statusCode: status, headers, body: ENCODER.encode(JSON.stringify(body)) } as never };
    },
    destroy: () => {},
  };
}

function read({ headers, body }: SdkRequest): WireRequest {
  return {
    operation: headers['x-amz-target']?.split('.').at(-1) ?? '',
    body: JSON.parse(typeof body === 'string' ? body : DECODER.decode(body)) as Record<string, unknown>,
    call: headers['amz-sdk-invocation-id'] ?? '',
  };
}

/** Where a client of a wire believes its service to be. Signatures are half of what a call costs, and nobody reads them here. */
export const WIRE_ACCESS = {
  ...EMULATOR_ACCESS,
  endpoint: 'http://wire.invalid',
  signer: { sign: async (request: unknown) => request },
} as const;

/** The product's DynamoDB client over a requestHandler of a wire. */
export function createWireClient(
  requestHandler: unknown,
  options: { readonly retryStrategy?: DynamoDBClientConfig['retryStrategy'] } = {},
): DynamoDBClient {
  return unnamed(createDynamoClient({ ...WIRE_ACCESS, ...options, requestHandler } as DynamoClientOptions));
}

/** A client that does not say what it is: a tenth of what a call costs, and nobody reads that either. */
export function unnamed<Client extends { readonly middlewareStack: { remove(name: string): boolean } }>(client: Client): Client {
  client.middlewareStack.remove('getUserAgentMiddleware');
  return client;
}
