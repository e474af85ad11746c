import { describe, expect, it } from 'vitest';
import { StoreRefusedError, StoreUnavailableError } from '../../../shared/job/errors.ts';
import type { Consumed } from '../../../shared/adapters/dynamodb/caller.ts';
import { answer, brokenConnection, serviceError } from '../../support/scripted-handler.ts';
import { both, claim, error, item, operations, remove, responses, scripted, statements } from './batched-tables.ts';

describe('a write of a batch', () => {
  it('that lost shows the row that it met, read consistently where the store does not send it along', async () => {
    const script = scripted([
      responses(error('ConditionalCheckFailed', { Item: item('a') }), error('ConditionalCheckFailed')),
      answer({ Item: item('b') }),
    ]);
    expect(await both(script, claim('a'), remove('b'))).toEqual([
      { applied: false, row: { id: 'a' }, attempts: 1 },
      { applied: false, row: { id: 'b' }, attempts: 1 },
    ]);
    expect(script.requests[1]).toMatchObject({ operation: 'GetItem', body: { ConsistentRead: true, Key: item('b') } });
    expect(script.requests).toHaveLength(2);
  });

  it('that is a delete is not taken for one that deleted when it met no row, and nothing is read', async () => {
    const script = scripted([responses({}, { Item: item('b') }, { Item: {} })]);
    expect(await both(script, remove('a'), remove('b'), remove('c'))).toEqual([
      { applied: false, attempts: 1 },
      { applied: true, row: { id: 'b' }, attempts: 1 },
      { applied: false, attempts: 1 },
    ]);
    expect(script.requests).toHaveLength(1);
  });

  it('whose reply was lost tells by its attempts that it may have met its own work', async () => {
    const script = scripted([brokenConnection(), responses(error('ConditionalCheckFailed', { Item: item('a') }), {}, { Item: item('c') })]);
    expect(await both(script, claim('a'), remove('b'), remove('c'))).toEqual([
      { applied: false, row: { id: 'a' }, attempts: 2 },
      { applied: false, attempts: 2 },
      { applied: true, row: { id: 'c' }, attempts: 2 },
    ]);
    expect(statements(script.requests[1])).toEqual(statements(script.requests[0]));
  });

  it.each(['TransactionConflict', 'ProvisionedThroughputExceeded', 'ThrottlingError', 'RequestLimitExceeded'])(
    'that met %s is made again by itself after a wait, and that attempt does not count',
    async (code) => {
      const script = scripted([responses(error(code), { Item: item('b') }), serviceError('ConditionalCheckFailedException')]);
      expect(await both(script, remove('a'), remove('b'))).toEqual([
        { applied: false, attempts: 1 },
        { applied: true, row: { id: 'b' }, attempts: 1 },
      ]);
      expect(operations(script)).toEqual(['BatchExecuteStatement', 'DeleteItem']);
      expect(script.clock.waits).toEqual([expect.any(Number)]);
      expect(script.clock.waits[0]).toBeGreaterThan(0);
    },
  );

  it.each<[string, readonly object[]]>([
    ['an error of the service', [{ Item: item('a') }, error('InternalServerError')]],
    ['no answer of its own', [{ Item: item('a') }]],
  ])('that had %s is made again, and may meet its own work', async (_, members) => {
    const script = scripted([responses(...members), serviceError('ConditionalCheckFailedException')]);
    expect(await both(script, remove('a'), remove('b'))).toMatchObject([{ applied: true }, { applied: false, attempts: 2 }]);
  });

  it('that was throttled after a lost reply still counts that attempt', async () => {
    const script = scripted([
      brokenConnection(),
      responses(error('ThrottlingError'), { Item: item('b') }),
      serviceError('ConditionalCheckFailedException'),
    ]);
    expect(await both(script, remove('a'), remove('b'))).toMatchObject([
      { applied: false, attempts: 2 },
      { applied: true, attempts: 2 },
    ]);
  });

  it('is not made again where the deadline leaves no time for it', async () => {
    const late = responses(error('TransactionConflict'), {});
    const script = scripted([(request) => (script.clock.pass(990), late(request))], { deadlineAt: () => Date.UTC(2026, 0, 1) + 1_000 });
    expect(await both(script, claim('a'), remove('b'))).toEqual([expect.any(StoreUnavailableError), { applied: false, attempts: 1 }]);
    expect(script.requests).toHaveLength(1);
  });
});

describe('a request that carries several writes', () => {
  it('tells what it consumed of each table, as any write does', async () => {
    const consumed: Consumed[] = [];
    const reply = { Responses: [{ Item: item('a') }, { Item: item('b') }], ConsumedCapacity: [{ TableName: 't-jobs', CapacityUnits: 2 }] };
    const script = scripted([answer(reply)], { onConsumed: (one) => void consumed.push(one) });
    await both(script, claim('a'), remove('b'));
    expect(script.requests[0]?.body).toMatchObject({ ReturnConsumedCapacity: 'TOTAL' });
    expect(consumed).toEqual([{ table: 't-jobs', units: 2, kind: 'write', operation: 'statements' }]);
  });

  it('is not begun after the deadline', async () => {
    const script = scripted([answer({})], { deadlineAt: () => Date.UTC(2026, 0, 1) - 1 });
    expect(await both(script, claim('a'), remove('b'))).toEqual([expect.any(StoreUnavailableError), expect.any(StoreUnavailableError)]);
    expect(script.requests).toEqual([]);
  });

  it('and is never answered leaves all of them unknown', async () => {
    const script = scripted([serviceError('InternalServerError', {}, 500)]);
    expect(await both(script, claim('a'), remove('b'))).toEqual([expect.any(StoreUnavailableError), expect.any(StoreUnavailableError)]);
    expect(new Set(operations(script))).toEqual(new Set(['BatchExecuteStatement']));
  });

  it('and is refused has each write made by itself, so that the one that is wrong fails alone', async () => {
    const script = scripted([
      serviceError('ResourceNotFoundException'),
      (request) =>
        JSON.stringify(request.body).includes('"a"') ? serviceError('ResourceNotFoundException')(request) : answer({})(request),
    ]);
    expect(await both(script, remove('a'), { ...remove('b'), table: 'control', key: { pk: 'b', sk: 'b' } })).toEqual([
      expect.any(StoreRefusedError),
      { applied: true, attempts: 1 },
    ]);
    expect(script.refusals).toEqual([]);
  });

  it('and lost its first reply before it was refused does not let a write be told as refused', async () => {
    const script = scripted([brokenConnection(), serviceError('AccessDeniedException')]);
    expect(await both(script, claim('a'), remove('b'))).toEqual([expect.any(StoreUnavailableError), expect.any(StoreUnavailableError)]);
  });
});
