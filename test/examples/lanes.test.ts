import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { runMails } from '../../examples/lanes/mail-jobs.ts';
import { MailStack } from '../../examples/lanes/stack.ts';
import { quickApp, resources } from '../infra/synth.ts';

test('mail of the urgent lane does not wait for the other, and within a lane the higher priority starts first', async () => {
  expect(await runMails()).toEqual([
    'important customer (10)',
    'newsletter writer (5)',
    'newsletter reader (0)',
    'important customer, birthday (-1)',
    '---',
    'reminder (0)',
  ]);
});

test('the stack feeds each lane by itself', () => {
  const mappings = Object.values(resources(Template.fromStack(new MailStack(quickApp(), 'Mail')), 'AWS::Lambda::EventSourceMapping'));
  expect(mappings.map(({ Properties }) => (Properties['ScalingConfig'] as { MaximumConcurrency: number }).MaximumConcurrency)).toEqual([
    50, 20, 50,
  ]);
});
