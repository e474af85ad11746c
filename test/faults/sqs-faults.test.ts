import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { aimAt } from '../../testing/index.ts';
import { type FaultySqs, faultySqs } from '../support/faulty-clients.ts';

const standard = ({ workers }: FaultySqs): string => workers.get('default')?.lanes['default'] ?? '';
const fifo = ({ workers }: FaultySqs): string => workers.get('default')?.fifo ?? '';
const bodies = (messages: readonly Message[]): readonly string[] => messages.map(({ Body }) => Body ?? '');

async function send(sqs: FaultySqs, QueueUrl: string, ...texts: readonly string[]): Promise<readonly (string | undefined)[]> {
  const ordered = (Id: string) => (QueueUrl.endsWith('.fifo') ? { MessageGroupId: Id, MessageDeduplicationId: Id } : {});
  const Entries = texts.map((Id) => ({ Id, MessageBody: Id, ...ordered(Id) }));
  const { Failed } = await sqs.client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  return (Failed ?? []).map(({ Id, SenderFault }) => `${Id}${SenderFault === true ? ' forever' : ''}`);
}

async function receive(sqs: FaultySqs, QueueUrl: string, MaxNumberOfMessages = 10): Promise<readonly Message[]> {
  return (await sqs.client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages }))).Messages ?? [];
}

describe('an SQS client under faults', () => {
  it('fails some entries of a batch in a reply that is a success, and those are not sent', async () => {
    const sqs = await faultySqs();
    sqs.faults.next(aimAt('SendMessageBatch'), { fault: 'partial', entries: (index) => index !== 1 });
    expect(await send(sqs, standard(sqs), 'a', 'b', 'c')).toEqual(['a', 'c']);
    sqs.faults.next(aimAt('SendMessageBatch'), { fault: 'partial', entries: () => true, senderFault: true });
    expect(await send(sqs, standard(sqs), 'd', 'e')).toEqual(['d forever', 'e forever']);
    const messages = await receive(sqs, standard(sqs));
    expect(bodies(messages)).toEqual(['b']);
    sqs.faults.next(aimAt('DeleteMessageBatch'), 'partial');
    const Entries = messages.map(({ ReceiptHandle }) => ({ Id: 'b', ReceiptHandle }));
    const { Failed, Successful } = await sqs.client.send(new DeleteMessageBatchCommand({ QueueUrl: standard(sqs), Entries }));
    expect([Failed?.length, Successful]).toEqual([1, []]);
    expect(sqs.faults.pending()).toBe(0);
  });

  it('sends a message twice; a FIFO queue drops the second one by itself', async () => {
    const sqs = await faultySqs();
    sqs.faults.next(aimAt(['SendMessage', 'SendMessageBatch']), 'sent-twice', 2);
    await sqs.client.send(new SendMessageCommand({ QueueUrl: standard(sqs), MessageBody: 'a' }));
    expect(bodies(await receive(sqs, standard(sqs)))).toEqual(['a', 'a']);
    await send(sqs, fifo(sqs), 'b');
    expect(bodies(await receive(sqs, fifo(sqs)))).toEqual(['b']);
  });

  it('receives a message twice, the copies with the next receives and never more than were asked for', async () => {
    const sqs = await faultySqs();
    await send(sqs, standard(sqs), 'a', 'b', 'c');
    sqs.faults.next(aimAt('ReceiveMessage'), 'received-twice');
    const first = await receive(sqs, standard(sqs), 2);
    const [second, third, fourth] = [
      await receive(sqs, standard(sqs), 1),
      await receive(sqs, standard(sqs)),
      await receive(sqs, standard(sqs)),
    ];
    expect([...second, ...third].map(({ MessageId }) => MessageId).slice(0, 2)).toEqual(first.map(({ MessageId }) => MessageId));
    expect([first.length, second.length, third.length, fourth.length]).toEqual([2, 1, 2, 0]);
  });

  it('receives in another order, except from a FIFO queue', async () => {
    const sqs = await faultySqs();
    sqs.faults.rate('reordered', 1);
    await send(sqs, fifo(sqs), 'a', 'b', 'c');
    expect(bodies(await receive(sqs, fifo(sqs)))).toEqual(['a', 'b', 'c']);
    expect(sqs.faults.counts()).toEqual({});
    await send(sqs, standard(sqs), 'a', 'b');
    expect(bodies(await receive(sqs, standard(sqs)))).toEqual(['b', 'a']);
    expect(sqs.faults.counts()).toEqual({ reordered: 1 });
  });

  it('is throttled with an error that the SDK tries again', async () => {
    const sqs = await faultySqs();
    sqs.faults.next(aimAt('SendMessageBatch'), 'throttle');
    expect(await send(sqs, standard(sqs), 'a')).toEqual([]);
    expect(sqs.faults.pending()).toBe(0);
  });
});
