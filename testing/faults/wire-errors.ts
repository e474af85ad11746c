import type { FaultSpec, FaultyCall } from './fault.ts';
import type { WireReply, WireRequest } from './smithy-client.ts';

/** An error of a service: its name, its status and what else its body holds. */
interface ServiceError {
  readonly name: string;
  readonly status: number;
  readonly message: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

const isTransaction = (operation: string): boolean => operation.startsWith('Transact');

function throttling({ service, operation }: FaultyCall): ServiceError {
  // DynamoDB reports a throttled transaction as cancelled, and the SDK does not retry that.
  if (service === 'DynamoDB' && !isTransaction(operation)) {
    const message = 'The level of configured provisioned throughput for the table was exceeded.';
    return { name: 'ProvisionedThroughputExceededException', status: 400, message };
  }
  return { name: service === 'SQS' ? 'RequestThrottled' : 'ThrottlingException', status: 400, message: 'Rate exceeded.' };
}

function cancelled({ input }: FaultyCall, code: string, hit: (index: number) => boolean): ServiceError {
  const items = Array.isArray(input['TransactItems']) ? (input['TransactItems'] as unknown[]) : [];
  const hits = items.some((_, index) => hit(index)) ? hit : (index: number): boolean => index === 0;
  const CancellationReasons = items.map((_, index) => (hits(index) ? { Code: code, Message: `${code} for one item` } : { Code: 'None' }));
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return { name: 'TransactionCanceledException', status: 400, message, more: { CancellationReasons } };
}

/** What the service answers under this fault. */
export function serviceError(spec: FaultSpec, call: FaultyCall): ServiceError {
  const { entries = (index: number): boolean => index === 0 } = spec;
  switch (spec.fault) {
    case 'throttle':
      return call.service === 'DynamoDB' && isTransaction(call.operation) ? cancelled(call, 'ThrottlingError', entries) : throttling(call);
    case 'conflict':
      return isTransaction(call.operation)
        ? cancelled(call, 'TransactionConflict', entries)
        : { name: 'TransactionConflictException', status: 400, message: 'Transaction is ongoing for the item' };
    case 'signature-expired':
      return { name: 'InvalidSignatureException', status: 400, message: 'Signature expired: it is more than 5 minutes old.' };
    default:
      return { name: 'InternalServerError', status: 500, message: 'The request processing has failed because of an unknown error.' };
  }
}

/**
 * The error as a reply on the wire, which the client's own deserializer makes an error of its own classes. Where the protocol is
 * not JSON, it throws an error of that name instead.
 */
export function errorReply(request: WireRequest, { name, status, message, more }: ServiceError): WireReply {
  const headers = { 'x-amzn-requestid': 'injected-fault', 'x-amzn-errortype': name };
  const type = request.headers['content-type'] ?? '';
  if (!type.includes('json')) {
    const $metadata = { httpStatusCode: status };
    throw Object.assign(new Error(message), { name, $fault: status < 500 ? 'client' : 'server', $metadata, ...more });
  }
  const body = new TextEncoder().encode(JSON.stringify({ __type: name, message, ...more }));
  return { response: { statusCode: status, headers: { ...headers, 'content-type': type }, body } };
}

/** A connection that broke, as Node's HTTP handler reports it. */
export function brokenConnection(code: 'ECONNRESET' | 'ECONNREFUSED'): Error {
  const message = code === 'ECONNRESET' ? 'socket hang up' : 'connect ECONNREFUSED';
  return Object.assign(new Error(message), { code, name: 'TimeoutError' });
}
