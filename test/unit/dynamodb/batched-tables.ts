import { type BatchRefusal, BatchSupport } from '../../../shared/adapters/dynamodb/batch-support.ts';
import type { DynamoDeps } from '../../../shared/adapters/dynamodb/caller.ts';
import type { SingleWrite } from '../../../shared/ports/tables.ts';
import { answer, type SeenRequest, type Step } from '../../support/scripted-handler.ts';
import { type ScriptedTables, scriptedTables } from './scripted-tables.ts';

/** A claim, as a statement with arithmetic. */
export const claim = (id: string, more: Partial<SingleWrite & { op: 'update' }> = {}): SingleWrite => ({
  op: 'update',
  table: 'jobs',
  key: { id },
  set: { lockOwner: 'run/mine' },
  add: { rev: 1 },
  condition: { test: 'beginsWith', attribute: 'lockOwner', value: 'queue/' },
  ...more,
});
/** A completion. */
export const remove = (id: string): SingleWrite & { op: 'delete' } => ({
  op: 'delete',
  table: 'jobs',
  key: { id },
  condition: { test: 'equals', attribute: 'lockOwner', value: 'run/mine' },
});

/** A row as it goes over the wire. */
export const item = (id: string): object => ({ id: { S: id } });
/** What a statement that failed is answered. */
export const error = (Code: string, more: object = {}): object => ({ Error: { Code, ...more } });
/** A reply to a batch, in the order of its statements. */
export const responses = (...Responses: readonly object[]): Step => answer({ Responses });
/** What was asked for, in order. */
export const operations = ({ requests }: ScriptedTables): readonly string[] => requests.map(({ operation }) => operation);
/** The statements of a request. */
export const statements = (request: SeenRequest | undefined): readonly { Statement: string; Parameters: unknown[] }[] =>
  (request?.body['Statements'] ?? []) as never;

/** Tables whose writes travel together, over a network that plays a script. */
export interface Scripted extends ScriptedTables {
  readonly refusals: readonly BatchRefusal[];
  readonly batches: BatchSupport;
}

/** The steps answer one request after another, the last one again and again. */
export function scripted(steps: readonly Step[], deps: Partial<DynamoDeps> = {}): Scripted {
  const refusals: BatchRefusal[] = [];
  const batches = new BatchSupport({ onRefused: (refusal) => void refusals.push(refusal) });
  return { ...scriptedTables(steps, { batches, ...deps }), refusals, batches };
}

/** Makes writes at once; gives their answers, or what they threw. */
export const both = (script: Scripted, ...writes: readonly SingleWrite[]): Promise<unknown> =>
  Promise.all(writes.map(async (write) => script.tables.write(write).catch((thrown: unknown) => thrown)));
