import { describe, expect, it } from 'vitest';
import { StoreRefusedError } from '../../../shared/job/errors.ts';
import type { SingleWrite } from '../../../shared/ports/tables.ts';
import { answer, type Step } from '../../support/scripted-handler.ts';
import { both, claim, item, operations, remove, responses, scripted, statements } from './batched-tables.ts';

const PUT: SingleWrite = { op: 'put', table: 'jobs', row: { id: 'a' } };

describe('conditional writes of one turn', () => {
  it('travel in one request, names quoted and every value a parameter, and each gets its own answer', async () => {
    const script = scripted([responses({ Item: item('a') }, { Item: item('b') })]);
    expect(await both(script, claim('a'), { ...remove('b'), quiet: true })).toEqual([
      { applied: true, row: { id: 'a' }, attempts: 1 },
      { applied: true, attempts: 1 },
    ]);
    expect(script.requests.map(({ body }) => body)).toEqual([
      {
        Statements: [
          {
            Statement:
              'UPDATE "t-jobs" SET "lockOwner"=? SET "rev"="rev"+? WHERE "id"=? AND begins_with("lockOwner",?) RETURNING ALL NEW *',
            Parameters: [{ S: 'run/mine' }, { N: '1' }, { S: 'a' }, { S: 'queue/' }],
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
          {
            Statement: 'DELETE FROM "t-jobs" WHERE "id"=? AND "lockOwner"=? RETURNING ALL OLD *',
            Parameters: [{ S: 'b' }, { S: 'run/mine' }],
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        ],
      },
    ]);
  });

  it('say every condition in the words of PartiQL', async () => {
    const script = scripted([responses({ Item: item('a') }, { Item: item('b') })]);
    const condition = {
      test: 'all',
      of: [
        {
          test: 'any',
          of: [
            { test: 'equals', attribute: 'n"m', value: 5 },
            { test: 'present', attribute: 'x' },
          ],
        },
        { test: 'all', of: [{ test: 'absent', attribute: 'y' }] },
        { test: 'atMost', attribute: 'z', value: 'text' },
      ],
    } as const;
    await both(script, claim('a', { set: {}, add: {}, remove: ['gone'], condition }), remove('b'));
    expect(statements(script.requests[0])[0]).toMatchObject({
      Statement:
        'UPDATE "t-jobs" REMOVE "gone" WHERE "id"=? AND (("n""m"=? OR "x" IS NOT MISSING) AND "y" IS MISSING AND "z"<=?) RETURNING ALL NEW *',
      Parameters: [{ S: 'a' }, { N: '5' }, { S: 'text' }],
    });
  });

  it('go by themselves where there is only one', async () => {
    const script = scripted([answer({ Attributes: item('a') }), answer({})]);
    await script.tables.write(claim('a'));
    await script.tables.write(remove('a'));
    expect(operations(script)).toEqual(['UpdateItem', 'DeleteItem']);
  });

  it('are at most 25 in a request, and the 26th goes by itself', async () => {
    const reply: Step = (request) => {
      const count = statements(request).length;
      return { status: 200, body: count === 0 ? {} : { Responses: Array.from({ length: count }, () => ({ Item: item('x') })) } };
    };
    const script = scripted([reply]);
    await both(script, ...Array.from({ length: 51 }, (_, n) => remove(`id-${n}`)));
    expect(script.requests.map((request) => statements(request).length)).toEqual([25, 25, 0]);
  });

  it('to one row do not share a request', async () => {
    const script = scripted([responses({ Item: item('a') }, { Item: item('b') }), responses({ Item: item('a') }, { Item: item('b') })]);
    await both(script, claim('a'), remove('a'), claim('b'), remove('b'));
    expect(script.requests.map((request) => statements(request).map(({ Statement }) => Statement.slice(0, 6)))).toEqual([
      ['UPDATE', 'UPDATE'],
      ['DELETE', 'DELETE'],
    ]);
  });
});

describe('what no statement says goes by itself', () => {
  const noRow = { test: 'absent', attribute: 'id' } as const;
  const eitherRow = { test: 'any', of: [noRow, { test: 'present', attribute: 'x' }] } as const;
  it.each<[string, SingleWrite, string]>([
    ['a put', PUT, 'PutItem'],
    ['an update without a condition, which makes its row', { op: 'update', table: 'jobs', key: { id: 'a' }, set: { n: 1 } }, 'UpdateItem'],
    ['an update whose condition holds without a row', claim('a', { condition: eitherRow }), 'UpdateItem'],
    ['a delete without a condition', { op: 'delete', table: 'jobs', key: { id: 'a' } }, 'DeleteItem'],
    ['a delete whose condition holds without a row', { ...remove('a'), condition: noRow }, 'DeleteItem'],
    ['an update that changes nothing', claim('a', { set: {}, add: {} }), 'UpdateItem'],
    [
      'a counter that its row may lack',
      {
        op: 'update',
        table: 'control',
        key: { pk: 'a', sk: 'b' },
        set: {},
        add: { n: 1 },
        condition: { test: 'present', attribute: 'pk' },
      },
      'UpdateItem',
    ],
    ['a statement that would be too long', claim('a', { set: { ['x'.repeat(8_192)]: 1 } }), 'UpdateItem'],
  ])('%s', async (_, write, operation) => {
    const batch = responses({ Item: item('b') }, { Item: item('c') });
    const script = scripted([(request) => (request.operation === 'BatchExecuteStatement' ? batch(request) : answer({})(request))]);
    await both(script, write, remove('b'), remove('c'));
    expect(operations(script).toSorted()).toEqual(['BatchExecuteStatement', operation]);
  });

  it('a write with a window, which holds for it alone', async () => {
    const script = scripted([answer({})]);
    const window = { notAfter: script.clock.now() + 1_000 };
    await Promise.all([script.tables.write(remove('a'), window), script.tables.write(remove('b'), window)]);
    expect(operations(script)).toEqual(['DeleteItem', 'DeleteItem']);
  });

  it.each<[string, SingleWrite]>([
    ['a key that changes', claim('a', { set: { id: 'b' } })],
    ['an attribute that is changed twice', claim('a', { set: { rev: 1 } })],
    ['a comparison of a number with the beginning of a text', claim('a', { condition: { test: 'beginsWith', attribute: 'x', value: 1 } })],
    ['a boolean that is at most another', claim('a', { condition: { test: 'atMost', attribute: 'x', value: true } })],
    ['a list of no conditions', claim('a', { condition: { test: 'any', of: [] } })],
    ['a number that is none', claim('a', { set: { n: Number.NaN } })],
  ])('%s, which is refused as ever', async (_, write) => {
    const script = scripted([answer({})]);
    await expect(both(script, write)).resolves.toEqual([expect.any(StoreRefusedError)]);
    expect(script.requests).toEqual([]);
  });
});
