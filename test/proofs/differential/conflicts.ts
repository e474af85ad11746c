import { timedRequestHandler } from '../../../shared/adapters/aws/request-handler.ts';

/** Requests to come that meet another transaction: no emulator answers so, therefore these answers are put in. */
export interface ConflictQueue {
  /** The next `count` writes and transactions are turned away; 0 ends it. */
  next(count: number): void;
  /** Requests so far in which writes were statements. */
  readonly statements: number;
}

const WRITES: Readonly<Record<string, string>> = {
  PutItem: 'TransactionConflictException',
  UpdateItem: 'TransactionConflictException',
  DeleteItem: 'TransactionConflictException',
  TransactWriteItems: 'TransactionCanceledException',
};

type Handler = Pick<ReturnType<typeof timedRequestHandler>, 'handle' | 'destroy'>;

/** A requestHandler for one client that answers some of its writes as DynamoDB does when another transaction is at the row. */
export function conflictingHandler(inner: Handler = timedRequestHandler()) {
  let left = 0;
  let statements = 0;
  return {
    next: (count: number): void => {
      left = count;
    },
    get statements(): number {
      return statements;
    },
    requestHandler: {
      handle: async (...[request, options]: Parameters<typeof inner.handle>): ReturnType<typeof inner.handle> => {
        const operation = (request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
        const name = WRITES[operation];
        if (operation === 'BatchExecuteStatement') statements += 1;
        if (left > 0 && operation === 'BatchExecuteStatement') return answered(200, turnedAway(request.body));
        if (left > 0 && operation === 'BatchWriteItem') return answered(200, unprocessed(request.body));
        if (left === 0 || name === undefined) return inner.handle(request, options);
        left -= 1;
        return answered(400, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name, ...reasonsFor(request.body) });
      },
      destroy: () => inner.destroy(),
    },
  };
}

function answered(statusCode: number, answer: object) {
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  return { response: { statusCode, headers, body: Buffer.from(JSON.stringify(answer)) } };
}

/** No error of a batch of puts names a conflict. A put that was not processed goes by itself, and meets the conflicts there. */
function unprocessed(body: unknown): { readonly UnprocessedItems: unknown } {
  return { UnprocessedItems: (parsed(body) as { readonly RequestItems: unknown }).RequestItems };
}

/** Statements that met another transaction go by themselves, and meet the conflicts there. */
function turnedAway(body: unknown): { readonly Responses: readonly { readonly Error: { readonly Code: string } }[] } {
  const { Statements: statements } = parsed(body) as { readonly Statements: readonly unknown[] };
  return { Responses: statements.map(() => ({ Error: { Code: 'TransactionConflict' } })) };
}

/** The first write of a transaction is the one in the way. */
function reasonsFor(body: unknown): { readonly CancellationReasons?: readonly { readonly Code: string }[] } {
  const { TransactItems: items } = parsed(body) as { readonly TransactItems?: readonly unknown[] };
  return items === undefined ? {} : { CancellationReasons: items.map((_, at) => ({ Code: at === 0 ? 'TransactionConflict' : 'None' })) };
}

function parsed(body: unknown): unknown {
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array));
}
