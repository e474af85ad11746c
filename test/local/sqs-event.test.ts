import { expect, test } from 'vitest';
import { failedMessages } from '../../local/sqs-event.ts';

const batch = ['a', 'b'];

test.each([
  ['nothing', undefined],
  ['null', null],
  ['an empty object', {}],
  ['an empty list', { batchItemFailures: [] }],
  ['no list', { batchItemFailures: null }],
])('%s means that the whole batch went well', (_, response) => {
  expect([...failedMessages(response, batch)]).toEqual([]);
});

test.each([
  ['a text', 'ok'],
  ['a list that is none', { batchItemFailures: 'a' }],
  ['an unknown message', { batchItemFailures: [{ itemIdentifier: 'c' }] }],
  ['an empty identifier', { batchItemFailures: [{ itemIdentifier: '' }] }],
  ['a misspelt key', { batchItemFailures: [{ itemidentifier: 'a' }] }],
  ['a null among good ones', { batchItemFailures: [{ itemIdentifier: 'a' }, null] }],
])('%s means that the whole batch failed', (_, response) => {
  expect([...failedMessages(response, batch)]).toEqual(batch);
});

test('a list of known messages means that these failed', () => {
  expect([...failedMessages({ batchItemFailures: [{ itemIdentifier: 'b' }] }, batch)]).toEqual(['b']);
});
