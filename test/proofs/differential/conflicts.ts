import { timedRequestHandler } from '../../../shared/adapters/aws/request-handler.ts';

/** Requests to come that meet another transaction: no emulator answers so, therefore these answers are put in. */
export interface ConflictQueue {
  /** The next `count` writes and transactions are turned away; 0 ends it. */
  next(count: number): void;
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
  return {
    next: (count: number): void => {
      left = count;
    },
    requestHandler: {
      handle: async (...[request, options]: Parameters<typeof inner.handle>): ReturnType<typeof inner.handle> => {
        const name = WRITES[(request.headers['x-amz-target'] ?? '').split('.')[1] ?? ''];
        if (left === 0 || name === undefined) return inner.handle(request, options);
        left -= 1;
        const body = Buffer.from(
          JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name, ...reasonsFor(request.body) }),
        );
        const headers = { 'content-type': 'application/x-amz-json-1.0' };
        return { response: { statusCode: 400, headers, body } };
      },
      destroy: () => inner.destroy(),
    },
  };
}

/** The first write of a transaction is the one in the way. */
function reasonsFor(body: unknown): { readonly CancellationReasons?: readonly { readonly Code: string }[] } {
  const { TransactItems: items } = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array)) as {
    readonly TransactItems?: readonly unknown[];
  };
  return items === undefined ? {} : { CancellationReasons: items.map((_, at) => ({ Code: at === 0 ? 'TransactionConflict' : 'None' })) };
}
