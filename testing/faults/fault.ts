import { InvalidInputError } from '../../shared/job/errors.ts';
import { checkOptions } from '../../shared/job/names.ts';

const BATCHES = ['SendMessageBatch', 'DeleteMessageBatch', 'ChangeMessageVisibilityBatch', 'BatchWriteItem', 'BatchGetItem'];
const CONFLICTING = ['TransactWriteItems', 'TransactGetItems', 'PutItem', 'UpdateItem', 'DeleteItem'];

/**
 * What can go wrong, whether it hits one attempt of the SDK or the whole call, and at which operations it exists. What hits one
 * attempt the SDK's own retry may heal.
 */
const FAULTS = {
  /** The request is applied and its reply is lost; the SDK sends it again, as it does by itself. */
  'lost-reply': { hits: 'attempt' },
  /** The request is applied, its reply is lost, and no later attempt of the call gets through. */
  'lost-for-good': { hits: 'attempt', lasts: true },
  /** Nothing is applied: no attempt of the call gets through. */
  unavailable: { hits: 'attempt', lasts: true },
  /** The connection breaks before the request arrives. */
  reset: { hits: 'attempt' },
  /** No answer: a real connection to a silent server, so the client's own timeouts and signals end it. */
  'black-hole': { hits: 'attempt' },
  throttle: { hits: 'attempt' },
  /** A 500, not applied unless `applied` is set. */
  'server-error': { hits: 'attempt' },
  /** Another transaction is in the way: nothing is applied, and the SDK does not try again. */
  conflict: { hits: 'attempt', operations: CONFLICTING },
  /** The signature is too old for AWS, as after a freeze: the SDK signs again and retries, however late it is by then. */
  'signature-expired': { hits: 'attempt' },
  /** The reply comes `ms` later. The client's timeouts do not see it, its signals do. */
  slow: { hits: 'attempt' },
  /** The request arrives `ms` later. The client's timeouts do not see it, its signals do. */
  late: { hits: 'attempt' },
  /** The queue receives a message twice, as after an unnoticed lost reply. */
  'sent-twice': { hits: 'attempt', operations: ['SendMessage', 'SendMessageBatch'] },
  /** Some entries of a batch fail in a reply that is a success as a whole. */
  partial: { hits: 'call', operations: BATCHES },
  /** The received messages are received once more, with the next receives from their queue. */
  'received-twice': { hits: 'call', operations: ['ReceiveMessage'] },
  /** The received messages of a standard queue come in another order. */
  reordered: { hits: 'call', operations: ['ReceiveMessage'] },
} as const satisfies Readonly<Record<string, FaultKind>>;

interface FaultKind {
  readonly hits: 'attempt' | 'call';
  readonly lasts?: boolean;
  readonly operations?: readonly string[];
}

/** The word for a fault; the same in aims, rates, counts and logs. */
export type FaultName = keyof typeof FAULTS;

/** Every fault that there is. */
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

/** How a fault differs from its default. */
export interface FaultDetails {
  /** Milliseconds of `slow` and `late`. Default: 1,000. */
  readonly ms?: number;
  /** Which entries of a batch or transaction it hits, by index: at least one. Default: drawn for `partial`, the first for `conflict`. */
  readonly entries?: (index: number) => boolean;
  /** For `partial` of SQS: the entries can never be taken as they are. Default: false, another try may succeed. */
  readonly senderFault?: boolean;
  /** For `server-error`: the request is still applied. Default: false. */
  readonly applied?: boolean;
  /** What others do in between, as while this process is frozen: after the request was applied where it is, otherwise before the answer. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** A fault by its name, or with details. */
export type Fault = FaultName | ({ readonly fault: FaultName } & FaultDetails);

/** A fault with its details, checked. */
export type FaultSpec = { readonly fault: FaultName } & FaultDetails;

/** A call of the SDK, as an aim sees it. */
export interface FaultyCall {
  /** The client's name without `Client`, such as `DynamoDB` or `SQS`. */
  readonly service: string;
  /** Such as `UpdateItem`. */
  readonly operation: string;
  /** The command's parameters. */
  readonly input: Readonly<Record<string, unknown>>;
  /** 1 for the first attempt of the SDK. */
  readonly attempt: number;
}

/** How a fault of this name works. */
export function kindOf(name: FaultName): FaultKind {
  return FAULTS[name];
}

/** A fault with its details. Throws InvalidInputError for a word or a detail that there is not. */
export function checkFault(fault: unknown): FaultSpec {
  const spec = (typeof fault === 'string' ? { fault } : fault) as FaultSpec;
  checkOptions(spec, ['fault', 'ms', 'entries', 'senderFault', 'applied', 'meanwhile'], 'fault');
  if (typeof spec.fault !== 'string' || !Object.hasOwn(FAULTS, spec.fault)) {
    throw new InvalidInputError('fault', spec.fault, `Known are: ${FAULT_NAMES.join(', ')}.`);
  }
  const { ms, entries, meanwhile } = spec;
  if (ms !== undefined && !(Number.isFinite(ms) && ms >= 0)) throw new InvalidInputError('fault.ms', ms, 'Use milliseconds from 0.');
  for (const [name, given] of Object.entries({ entries, meanwhile })) {
    if (given !== undefined && typeof given !== 'function') throw new InvalidInputError(`fault.${name}`, given, 'Give a function.');
  }
  return spec;
}

/** Whether this fault exists at this call; `received` is the number of messages that came with its reply. */
export function applies(name: FaultName, { operation, input, attempt }: FaultyCall, received = 0): boolean {
  const kind: FaultKind = FAULTS[name];
  if (kind.operations !== undefined && !kind.operations.includes(operation)) return false;
  // A call that has begun to get through is not lost as a whole.
  if (kind.lasts === true && attempt > 1) return false;
  // DynamoDB never leaves a whole batch unprocessed, and a FIFO queue keeps its order.
  if (name === 'partial' && operation.startsWith('Batch')) return entriesIn(input['RequestItems']) > 1;
  if (name === 'received-twice') return received > 0;
  return name !== 'reordered' || (received > 1 && !String(input['QueueUrl']).endsWith('.fifo'));
}

function entriesIn(requestItems: unknown): number {
  return Object.values((requestItems ?? {}) as Record<string, readonly unknown[] | { readonly Keys: readonly unknown[] }>)
    .map((of) => ('Keys' in of ? of.Keys : of).length)
    .reduce((sum, count) => sum + count, 0);
}
