import { expect, test } from 'vitest';
import { both, claim, item, operations, remove, scripted } from './batched-tables.ts';
import { RequiredBatches } from '../../support/required-batches.ts';
import { type Step } from '../../support/scripted-handler.ts';

/** A store that refuses every statement with this answer, and takes each write by itself. */
const refusing = (code: string, message: string): Step => {
  const responses = [{ Error: { Code: code, Message: message } }];
  return ({ operation }) => ({
    status: 200,
    body: operation === 'BatchExecuteStatement' ? { Responses: responses } : { Attributes: item('a') },
  });
};

test.each([
  ['ValidationError', 'Syntax error'],
  ['AccessDenied', 'no'],
])('a write fails whose statement the store refuses with %s, although it takes the write', async (code, message) => {
  const script = scripted([refusing(code, message)], { batches: new RequiredBatches(1) });
  expect(await both(script, remove('a'))).toEqual([expect.any(Error)]);
});

test.each([
  ['a counter that is missing', 'The provided expression refers to an attribute that does not exist in the item'],
  ['arithmetic that Dynoxide does not take', 'Unexpected value token'],
])('a write is made by itself because of %s', async (_, message) => {
  const script = scripted([refusing('ValidationError', message)], { batches: new RequiredBatches(1) });
  expect(await both(script, claim('a'))).toMatchObject([{ applied: true }]);
  expect(operations(script)).toEqual(['BatchExecuteStatement', 'UpdateItem']);
});
