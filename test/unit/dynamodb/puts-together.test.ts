import { describe, expect, it } from 'vitest';
import { BatchSupport } from '../../../shared/adapters/dynamodb/batch-support.ts';
import { StoreRefusedError, StoreUnavailableError } from '../../../shared/job/errors.ts';
import type { Row, SingleWrite, TableName, WriteOutcome } from '../../../shared/ports/tables.ts';
import { answer, brokenConnection, type SeenRequest, serviceError, type Step } from '../../support/scripted-handler.ts';
import { both, claim, item, operations, remove, responses, type Scripted, scripted } from './batched-tables.ts';

const NOW = Date.UTC(2026, 0, 1);
const WINDOW = { notAfter: NOW + 10_000 };
const UNAVAILABLE: unknown = expect.any(StoreUnavailableError);
const REFUSED: unknown = expect.any(StoreRefusedError);

const put = (id: string, more: Row = {}, table: TableName = 'jobs'): SingleWrite & { readonly op: 'put' } => ({
  op: 'put',
  table,
  row: { id, ...more },
});
/** Puts at once, as several calls of enqueue do. */
const putAtOnce = (script: Scripted, ...puts: readonly SingleWrite[]): Promise<readonly (WriteOutcome | Error)[]> =>
  Promise.all(puts.map(async (one) => script.tables.write(one, WINDOW).catch((thrown: unknown) => thrown as Error)));
const unprocessed = (...ids: readonly string[]): Step =>
  answer({ UnprocessedItems: { 't-jobs': ids.map((id) => ({ PutRequest: { Item: item(id) } })) } });
/** The ids that a request puts, by the name of their table. */
const idsIn = ({ operation, body }: SeenRequest): unknown => {
  if (operation === 'PutItem') return (body['Item'] as { id: { S: string } }).id.S;
  const tables = Object.entries(body['RequestItems'] as Record<string, { PutRequest: { Item: { id: { S: string } } } }[]>);
  return Object.fromEntries(tables.map(([name, requests]) => [name, requests.map(({ PutRequest }) => PutRequest.Item.id.S)]));
};
const isDenied: Step = serviceError('AccessDeniedException', { message: 'not authorized to perform: dynamodb:BatchWriteItem' });

describe('puts of new jobs in one turn', () => {
  it('travel in one request for each table, and each gets its own answer', async () => {
    const script = scripted([answer()]);
    const timer = put('c', { shard: '00', due: 'x' }, 'timers');
    expect(await putAtOnce(script, put('a'), put('b'), timer, { ...timer, row: { ...timer.row, due: 'y' } })).toEqual(
      Array.from({ length: 4 }, () => ({ applied: true, attempts: 1 })),
    );
    expect(script.requests.map(idsIn)).toEqual([{ 't-jobs': ['a', 'b'] }, { 't-timers': ['c', 'c'] }]);
  });

  it('share no request with conditional writes', async () => {
    const script = scripted([responses({ Item: item('c') }, { Item: item('d') }), answer()]);
    const writes = [put('a'), claim('c'), put('b'), remove('d')];
    await Promise.all(writes.map(async (write) => script.tables.write(write, write.op === 'put' ? WINDOW : undefined)));
    expect(operations(script)).toEqual(['BatchExecuteStatement', 'BatchWriteItem']);
  });

  it('go by themselves where there is only one', async () => {
    const script = scripted([answer()]);
    expect(await putAtOnce(script, put('a'))).toEqual([{ applied: true, attempts: 1 }]);
    expect(operations(script)).toEqual(['PutItem']);
  });

  it('are at most 25 in a request, and the 26th goes by itself', async () => {
    const script = scripted([answer()]);
    await putAtOnce(script, ...Array.from({ length: 26 }, (_, n) => put(`id-${n}`)));
    expect(operations(script)).toEqual(['BatchWriteItem', 'PutItem']);
  });

  it('of the same row do not share a request', async () => {
    const script = scripted([answer()]);
    await putAtOnce(script, put('a', { n: 1 }), put('a', { n: 2 }), put('b', { n: 1 }), put('b', { n: 2 }));
    expect(script.requests.map(idsIn)).toEqual([{ 't-jobs': ['a', 'b'] }, { 't-jobs': ['a', 'b'] }]);
  });

  it('of large rows share a request with few others', async () => {
    const script = scripted([answer()]);
    const large = 'x'.repeat(390_000);
    await putAtOnce(script, ...['a', 'b', 'c', 'd', 'e'].map((id) => put(id, { large })));
    expect(script.requests.map(idsIn)).toEqual([{ 't-jobs': ['a', 'b'] }, { 't-jobs': ['c', 'd'] }, 'e']);
  });

  it.each<[string, SingleWrite, typeof WINDOW | undefined]>([
    ['that have a condition', { ...put('a'), condition: { test: 'absent', attribute: 'id' } }, WINDOW],
    ['that have no window', put('a'), undefined],
  ])('%s go by themselves', async (_, write, window) => {
    const script = scripted([answer()]);
    await Promise.all([script.tables.write(write, window), script.tables.write(write, window)]);
    expect(operations(script)).toEqual(['PutItem', 'PutItem']);
  });
});

describe('a put of a batch', () => {
  it('that was not processed is made again by itself after a wait, and that attempt does not count', async () => {
    const script = scripted([unprocessed('b'), answer()]);
    expect(await putAtOnce(script, put('a'), put('b'))).toEqual([
      { applied: true, attempts: 1 },
      { applied: true, attempts: 1 },
    ]);
    expect(script.requests.map(idsIn)).toEqual([{ 't-jobs': ['a', 'b'] }, 'b']);
    expect(script.clock.waits).toEqual([expect.any(Number)]);
  });

  it('that was not processed after a lost reply still counts that attempt, and is not told as refused', async () => {
    const script = scripted([brokenConnection(), unprocessed('b'), serviceError('AccessDeniedException')]);
    expect(await putAtOnce(script, put('a'), put('b'))).toEqual([{ applied: true, attempts: 2 }, UNAVAILABLE]);
  });

  it('is not made again when its window has closed', async () => {
    const late = unprocessed('b');
    const script = scripted([(request) => (script.clock.pass(10_000), late(request)), answer()]);
    expect(await putAtOnce(script, put('a'), put('b'))).toEqual([{ applied: true, attempts: 1 }, UNAVAILABLE]);
    expect(operations(script)).toEqual(['BatchWriteItem']);
  });

  it('whose window has closed is not made again with the others, which go on by themselves and count the attempt before', async () => {
    const script = scripted([(request) => (script.clock.pass(6_000), brokenConnection()(request)), answer()]);
    const writes = [10_000, 5_000].map(async (ms, n) => script.tables.write(put(`id-${n}`), { notAfter: NOW + ms }));
    expect(await Promise.allSettled(writes)).toEqual([
      { status: 'fulfilled', value: { applied: true, attempts: 2 } },
      { status: 'rejected', reason: UNAVAILABLE },
    ]);
    expect(script.requests.map(idsIn)).toEqual([{ 't-jobs': ['id-0', 'id-1'] }, 'id-0']);
  });

  it('is told as unknown where the request was not answered', async () => {
    const script = scripted([serviceError('InternalServerError', {}, 500)]);
    expect(await putAtOnce(script, put('a'), put('b'))).toEqual([UNAVAILABLE, UNAVAILABLE]);
    expect(new Set(operations(script))).toEqual(new Set(['BatchWriteItem']));
  });

  it('that is wrong fails alone', async () => {
    const refused = serviceError('ValidationException');
    const script = scripted([(request) => (JSON.stringify(request.body).includes('"wrong"') ? refused(request) : answer()(request))]);
    for (let round = 0; round < 2; round++) {
      expect(await putAtOnce(script, put('a'), put('wrong'))).toEqual([{ applied: true, attempts: 1 }, REFUSED]);
    }
    const each = ['BatchWriteItem', 'PutItem', 'PutItem'];
    expect(operations(script)).toEqual([...each, ...each]);
    expect(script.refusals).toEqual([]);
  });

  it('with a value that is none is refused, and its neighbour is put', async () => {
    const script = scripted([answer()]);
    expect(await putAtOnce(script, put('a'), put('b', { n: Number.NaN }))).toEqual([{ applied: true, attempts: 1 }, REFUSED]);
  });
});

it.each<[string, Step]>([
  ['denies batches of puts', isDenied],
  ['does not know them', serviceError('UnknownOperationException')],
])('a store that %s is asked once: from then on puts go by themselves, statements still together, and it is told once', async (_, step) => {
  const script = scripted([
    (request) =>
      request.operation === 'BatchWriteItem'
        ? step(request)
        : request.operation === 'BatchExecuteStatement'
          ? responses({ Item: item('a') }, { Item: item('b') })(request)
          : answer()(request),
  ]);
  for (let round = 0; round < 2; round++) {
    expect(await putAtOnce(script, put('a'), put('b'))).toMatchObject([{ applied: true }, { applied: true }]);
  }
  await both(script, claim('a'), remove('b'));
  const asked = operations(script).findLastIndex((operation) => operation === 'BatchWriteItem');
  expect(operations(script).slice(asked + 1)).toEqual(['PutItem', 'PutItem', 'PutItem', 'PutItem', 'BatchExecuteStatement']);
  expect(script.refusals).toEqual([
    {
      reason: expect.stringContaining('The store refuses BatchWriteItem: ') as unknown,
      fix: expect.stringMatching(/^Grant dynamodb:BatchWriteItem on .*batchWrites to 0\.$/) as unknown,
    },
  ]);
  expect(script.batches.refusal).toEqual(script.refusals[0]);
});

it('a process that may only put together makes no statements', async () => {
  const script = scripted([answer()], { batches: new BatchSupport({ only: 'puts' }) });
  await both(script, claim('a'), remove('b'));
  await putAtOnce(script, put('a'), put('b'));
  expect(operations(script)).toEqual(['UpdateItem', 'DeleteItem', 'BatchWriteItem']);
});
