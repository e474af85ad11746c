import { InvalidInputError } from '../../shared/job/errors.ts';
import type { FaultyCall } from './fault.ts';

/** Picks the calls that a fault hits. Asked anew for each attempt of the SDK. */
export type FaultAim = (call: FaultyCall) => boolean;

/** Aims at calls of one operation, such as `PutItem`, or of several; with `named`, only at that table or queue. */
export function aimAt(operations: string | readonly string[], named?: string): FaultAim {
  const wanted = new Set([operations].flat());
  if (wanted.size === 0 || [...wanted].some((operation) => !/^[A-Z]\w*$/.test(operation) || operation.endsWith('Command'))) {
    throw new InvalidInputError('operations', [...wanted].join(', '), 'Name operations as AWS does, such as PutItem or SendMessageBatch.');
  }
  return ({ operation, input }) => wanted.has(operation) && (named === undefined || namesIn(input).includes(named));
}

/** Refuses an invalid aim: a text would silently match nothing. */
export function checkAim(aim: unknown): FaultAim {
  if (typeof aim === 'function') return aim as FaultAim;
  throw new InvalidInputError('aim', aim, "Give a function of the call, such as aimAt('PutItem').");
}

type Named = { readonly TableName?: string };

/** The tables of a request, or the name of its queue. */
function namesIn(input: Readonly<Record<string, unknown>>): readonly string[] {
  const { TableName, QueueUrl, RequestItems, TransactItems, Statements } = input as {
    readonly TableName?: string;
    readonly QueueUrl?: string;
    readonly RequestItems?: object;
    readonly TransactItems?: readonly Readonly<Record<string, Named | undefined>>[];
    readonly Statements?: readonly { readonly Statement?: string }[];
  };
  return [
    TableName,
    QueueUrl?.slice(QueueUrl.lastIndexOf('/') + 1),
    ...Object.keys(RequestItems ?? {}),
    ...(Statements ?? []).map(({ Statement: text = '' }) => /"([^"]+)"/.exec(text)?.[1]),
    ...(TransactItems ?? []).flatMap((item) => Object.values(item).map((action) => action?.TableName)),
  ].filter((name) => name !== undefined);
}
