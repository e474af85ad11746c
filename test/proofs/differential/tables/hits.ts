import type { CancelReason, Condition, Write, WriteOutcome } from '../../../../shared/ports/tables.ts';
import type { Answer } from '../answer.ts';
import type { Coverage } from '../coverage.ts';
import type { Operation } from './operation.ts';

const KINDS = [
  ['get', 'transact', 'again', 'putAll', 'query', 'query index', 'scan'],
  ['put', 'update', 'delete'].map((op) => `write ${op}`),
  ['put', 'update', 'delete', 'check'].map((op) => `transact ${op}`),
].flat();
const CONDITION_TESTS: readonly Condition['test'][] = ['absent', 'present', 'equals', 'beginsWith', 'atMost', 'all', 'any'];
const REASONS: readonly CancelReason['code'][] = ['none', 'condition', 'conflict'];

/** Everything that a run must have met: each kind of operation in each way it can end, and each reason of a cancellation. */
export const REQUIRED_OF_TABLES: readonly string[] = [
  KINDS,
  CONDITION_TESTS.map((test) => `condition ${test}`),
  ['query walk', 'query newestFirst', 'query from', 'query through', 'query after', 'query consistent', 'scan filter'],
  ['put', 'update', 'delete'].flatMap((op) => [`write ${op} applied`, `write ${op} not applied`]),
  ['write met a row', 'write met no row', 'transact applied', 'transact not applied', 'again applied'],
  REASONS.map((code) => `reason ${code}`),
  ['reason condition with row', 'reason condition without row'],
  ['get', 'write', 'transact', 'putAll', 'query', 'scan', 'scan-nowhere'].map((op) => `${op} refused`),
  ['write unavailable', 'transact unavailable', 'putAll given back'],
  ['conflicts overcome', 'write without a window', 'statement', 'snapshot'],
].flat();

/** Counts what one operation was and how it ended. */
export function countHits(operation: Operation, answer: Answer, coverage: Coverage): void {
  const { op } = operation;
  coverage.hit(op);
  const writes = op === 'write' ? [operation.write] : op === 'transact' ? operation.writes : [];
  for (const write of writes) coverage.hit(`${op} ${write.op}`);
  if ('error' in answer) {
    coverage.hit(`${op} ${answer.error.startsWith('StoreRefused') ? 'refused' : 'unavailable'}`);
    return;
  }
  for (const write of writes) for (const test of testsOf(write.condition)) coverage.hit(`condition ${test}`);
  if (op === 'write') countWrite(operation.write, answer.value as WriteOutcome, coverage);
  if (op === 'transact' || op === 'again') countTransact(op, answer.value, coverage);
  if (op === 'putAll' && (answer.value as readonly unknown[]).length > 0) coverage.hit('putAll given back');
  if (op === 'scan' && operation.filter !== undefined) coverage.hit('scan filter');
  if (op === 'query') {
    if (operation.walk) coverage.hit('query walk');
    for (const [name, value] of Object.entries(operation.query)) if (value !== false) coverage.hit(`query ${name}`);
  }
  if ((op === 'write' || op === 'transact') && operation.trouble?.conflicts !== undefined) coverage.hit('conflicts overcome');
}

function countWrite(write: Write, outcome: WriteOutcome, coverage: Coverage): void {
  coverage.hit(`write ${write.op} ${outcome.applied ? '' : 'not '}applied`);
  if (!outcome.applied) coverage.hit(outcome.row === undefined ? 'write met no row' : 'write met a row');
}

function countTransact(op: string, value: unknown, coverage: Coverage): void {
  const outcome = value as { readonly applied: boolean; readonly reasons?: readonly CancelReason[] } | undefined;
  if (outcome === undefined) return;
  coverage.hit(`${op} ${outcome.applied ? '' : 'not '}applied`);
  for (const reason of outcome.reasons ?? []) {
    coverage.hit(`reason ${reason.code}`);
    if (reason.code === 'condition') coverage.hit(`reason condition ${reason.row === undefined ? 'without' : 'with'} row`);
  }
}

function testsOf(condition: Condition | undefined): readonly string[] {
  if (condition === undefined) return [];
  return condition.test === 'all' || condition.test === 'any' ? [condition.test, ...condition.of.flatMap(testsOf)] : [condition.test];
}
