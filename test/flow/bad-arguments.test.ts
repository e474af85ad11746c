import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { receivedHints } from '../../shared/adapters/sqs/event.ts';
import { createExecutor } from '../../functions/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });
const wrong = (value: unknown): never => value as never;

describe('an argument that JavaScript lets through is refused, and the error names it', () => {
  const calls: [string, (rig: Rig) => unknown, RegExp][] = [
    ['no job type', ({ client }) => client.enqueue(wrong(undefined), {}), /^type: /],
    ['an object that is no job type', ({ client }) => client.enqueue(wrong({ name: 'work' }), {}), /^type: /],
    ['a misspelt option', ({ client }) => client.enqueue(work, {}, wrong({ dealy: 'PT1M' })), /^options: "dealy".*delay/],
    ['a text for the options', ({ client }) => client.enqueue(work, {}, wrong('PT5M')), /^options: /],
    ['an option of enqueueMany for one job', ({ client }) => client.enqueue(work, {}, wrong({ keyOf: () => 'k' })), /^options: "keyOf"/],
    ['payloads that are no array', ({ client }) => client.enqueueMany(work, wrong('abc')), /^payloads: /],
    ['no payloads', ({ client }) => client.enqueueMany(work, wrong(null)), /^payloads: /],
    [
      'a misspelt option for many',
      ({ client }) => client.enqueueMany(work, [{}], wrong({ onprogress: () => {} })),
      /^options: "onprogress"/,
    ],
    ['a reschedule without a time', ({ client, deps }) => client.reschedule(client.newId(), wrong(deps && {})), /^when: /],
    ['a reschedule to nothing', ({ client }) => client.reschedule(client.newId(), wrong(undefined)), /^when: /],
    ['an id for nothing', ({ client }) => client.newId(wrong(null)), /^when: /],
    ['an id with a misspelt option', ({ client }) => client.newId(wrong({ runat: 5 })), /^when: "runat"/],
    ['a key of many that is no function', ({ client }) => client.enqueueMany(work, [{}], wrong({ keyOf: 'k' })), /^keyOf: /],
    ['an id of many that is no function', ({ client }) => client.enqueueMany(work, [{}], wrong({ idOf: {} })), /^idOf: /],
    ['an id that is none', ({ client }) => client.cancel('job 7'), /^id: /],
  ];
  it.each(calls)('%s', async (_name, call, message) => {
    const rig = new Rig();
    const error = await (async () => call(rig))().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toMatch(message);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });

  it('a misspelt option of a job type', () => {
    expect(() => defineJob('typo', wrong({ payload: anyPayload, retires: 'R5/PT1M' }))).toThrow(/options: "retires".*retry/);
  });

  it('handlers that are none', () => {
    expect(() => createExecutor(wrong(undefined))).toThrow(InvalidInputError);
    expect(() => createExecutor(wrong([{}]))).toThrow(InvalidInputError);
    expect(() => createExecutor(wrong([work]))).toThrow(/handlers/);
  });

  it.each([undefined, null, {}, { Records: 'three' }])('an event that is not from SQS: %j', (event) => {
    expect(() => receivedHints(wrong(event), new Map())).toThrow(/^event: .*SQS/);
  });
});
