import { describe, expect, it, test } from 'vitest';
import { BatchSupport } from '../../../shared/adapters/dynamodb/batch-support.ts';
import { StoreRefusedError } from '../../../shared/job/errors.ts';
import { answer, serviceError, type Step } from '../../support/scripted-handler.ts';
import { both, claim, error, item, operations, remove, responses, scripted, statements } from './batched-tables.ts';

describe('a store that takes no batches', () => {
  test.each<[string, Step]>([
    ['denies them', serviceError('AccessDeniedException', { message: 'not authorized to perform: dynamodb:PartiQLUpdate' })],
    ['denies one statement', responses(error('AccessDenied', { Message: 'dynamodb:PartiQLUpdate' }), { Item: item('b') })],
    ['does not know them', serviceError('UnknownOperationException')],
    ['has not implemented them', serviceError('InternalFailure', {}, 501)],
  ])('that %s is asked once: from then on each write goes by itself, and the refusal is told once', async (_, refusal) => {
    const script = scripted([
      (request) => (request.operation === 'BatchExecuteStatement' ? refusal(request) : answer({ Attributes: item('x') })(request)),
    ]);
    for (let round = 0; round < 3; round++)
      expect(await both(script, claim('a'), remove('b'))).toMatchObject([{ applied: true }, { applied: true }]);
    const asked = operations(script).findLastIndex((operation) => operation === 'BatchExecuteStatement');
    expect(operations(script).slice(asked + 1).length).toBeGreaterThanOrEqual(5);
    expect(script.refusals).toHaveLength(1);
    expect(script.refusals[0]?.fix).toMatch(/PartiQLUpdate and dynamodb:PartiQLDelete.*batchWrites/);
    expect(script.batches.refusal).toEqual(script.refusals[0]);
  });

  it('that has not implemented them has applied nothing: that attempt does not count', async () => {
    const replies: Readonly<Record<string, Step>> = {
      UpdateItem: serviceError('ConditionalCheckFailedException', { Item: item('a') }),
      DeleteItem: serviceError('AccessDeniedException'),
    };
    const script = scripted([(request) => (replies[request.operation] ?? serviceError('InternalFailure', {}, 501))(request)]);
    expect(await both(script, claim('a'), remove('b'))).toEqual([
      { applied: false, row: { id: 'a' }, attempts: 1 },
      expect.any(StoreRefusedError),
    ]);
    expect(script.refusals).toHaveLength(1);
  });

  it('fails every write of the request where the refusal cannot be told, and leaves none waiting', async () => {
    const broken = new Error('the journal is broken');
    const batches = new BatchSupport({
      onRefused: () => {
        throw broken;
      },
    });
    const script = scripted([serviceError('AccessDeniedException')], { batches });
    expect(await both(script, claim('a'), remove('b'))).toEqual([expect.any(Error), expect.any(Error)]);
  });

  const noArithmetic: Step = (request) => {
    if (request.operation !== 'BatchExecuteStatement') return answer({ Attributes: item('x') })(request);
    const members = statements(request).map(({ Statement }) =>
      Statement.includes('+') ? error('ValidationError', { Message: 'Unexpected value token' }) : { Item: item('x') },
    );
    return { status: 200, body: { Responses: members } };
  };

  it('of one form still gets those of others, and is not offered that form again', async () => {
    const script = scripted([noArithmetic]);
    for (let round = 0; round < 2; round++) {
      const writes = [claim('a'), claim('b'), remove('c'), remove('d')];
      expect(await both(script, ...writes)).toMatchObject(writes.map(() => ({ applied: true, attempts: 1 })));
    }
    expect(operations(script)).toEqual([
      'BatchExecuteStatement',
      'UpdateItem',
      'UpdateItem',
      'UpdateItem',
      'UpdateItem',
      'BatchExecuteStatement',
    ]);
    expect(script.refusals).toEqual([
      { reason: expect.stringContaining('SET "rev"="rev"+?') as unknown, fix: expect.stringContaining('Nothing to do') as unknown },
    ]);
  });

  it('of one row whose counter is missing, but has taken that form of others, is offered it again', async () => {
    const script = scripted([
      responses({ Item: item('a') }, error('ValidationError')),
      answer({ Attributes: item('b') }),
      responses({ Item: item('a') }, { Item: item('b') }),
    ]);
    await both(script, claim('a'), claim('b'));
    await both(script, claim('a'), claim('b'));
    expect(operations(script)).toEqual(['BatchExecuteStatement', 'UpdateItem', 'BatchExecuteStatement']);
    expect(script.refusals).toEqual([]);
  });

  it('of one row, but has judged conditions of that form, is offered it again', async () => {
    const unmet = error('ConditionalCheckFailed', { Item: item('x') });
    const script = scripted([responses(unmet, error('ValidationError')), answer({ Attributes: item('b') }), responses(unmet, unmet)]);
    await both(script, claim('a'), claim('b'));
    await both(script, claim('a'), claim('b'));
    expect(operations(script)).toEqual(['BatchExecuteStatement', 'UpdateItem', 'BatchExecuteStatement']);
  });

  it('of one odd row, before it has taken that form of others, is offered it again', async () => {
    const odd: Step = (request) => {
      if (request.operation !== 'BatchExecuteStatement') return answer({ Attributes: item('x') })(request);
      const isOdd = (parameters: readonly unknown[]): boolean => JSON.stringify(parameters).includes('"odd"');
      return responses(
        ...statements(request).map(({ Parameters }) => (isOdd(Parameters) ? error('ValidationError') : { Item: item('x') })),
      )(request);
    };
    const script = scripted([odd]);
    for (let round = 0; round < 2; round++) await both(script, claim('odd'), remove('b'));
    await both(script, claim('a'), claim('c'));
    expect(operations(script).at(-1)).toBe('BatchExecuteStatement');
    expect(script.refusals).toEqual([]);
  });

  it('of one odd row, because of which it refuses the whole request, is offered the forms of the others again', async () => {
    const refused = serviceError('ValidationException');
    const script = scripted([
      (request) =>
        JSON.stringify(request.body).includes('"odd"')
          ? refused(request)
          : request.operation === 'BatchExecuteStatement'
            ? responses({ Item: item('x') }, { Item: item('x') })(request)
            : answer({ Attributes: item('x') })(request),
    ]);
    await both(script, claim('a'), claim('b'), remove('c'), claim('odd'));
    await both(script, claim('a'), claim('b'));
    expect(operations(script).at(-1)).toBe('BatchExecuteStatement');
    expect(script.refusals).toEqual([]);
  });

  it('because the write itself is wrong is no reason to make the others by themselves', async () => {
    const refused = serviceError('ValidationException');
    const script = scripted([
      (request) =>
        request.operation === 'BatchExecuteStatement'
          ? responses(error('ValidationError'), error('ValidationError'))(request)
          : refused(request),
    ]);
    for (let round = 0; round < 2; round++) {
      expect(await both(script, claim('a'), claim('b'))).toEqual([expect.any(StoreRefusedError), expect.any(StoreRefusedError)]);
    }
    expect(operations(script).filter((operation) => operation === 'BatchExecuteStatement')).toHaveLength(2);
    expect(script.refusals).toEqual([]);
  });
});
