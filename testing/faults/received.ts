import type { FaultSpec } from './fault.ts';
import { nothing } from './partial-batch.ts';
import type { CommandResult } from './smithy-client.ts';

type Input = Readonly<Record<string, unknown>>;

/** Receives from queues, some messages twice and some in another order. */
export interface Receiver {
  receive(
    input: Input,
    take: (received: number) => FaultSpec | undefined,
    pass: (input: Input) => Promise<CommandResult>,
  ): Promise<CommandResult>;
}

/** Keeps, by queue, the messages that are still to be received once more. */
export function createReceiver(random: () => number): Receiver {
  const again = new Map<string, unknown[]>();
  return {
    receive: async (input, take, pass) => {
      const queue = String(input['QueueUrl']);
      const most = Number(input['MaxNumberOfMessages'] ?? 1);
      const copies = again.get(queue)?.splice(0, most) ?? [];
      const room = most - copies.length;
      // With copies available, does not wait for more.
      const rest = copies.length === 0 ? input : { ...input, MaxNumberOfMessages: room, WaitTimeSeconds: 0 };
      const { output } = room === 0 ? nothing({}) : await pass(rest);
      const received = (output['Messages'] ?? []) as unknown[];
      const spec = take(received.length);
      if (spec?.fault === 'received-twice') again.set(queue, [...(again.get(queue) ?? []), ...received]);
      const messages = [...copies, ...received];
      if (messages.length === 0) return { output };
      return { output: { ...output, Messages: spec?.fault === 'reordered' ? shuffled(messages, random) : messages } };
    },
  };
}

/** Another order, by lot; two always change places. */
function shuffled(messages: readonly unknown[], random: () => number): unknown[] {
  const dealt = messages.map((message) => ({ message, lot: random() })).toSorted((one, other) => one.lot - other.lot);
  const order = dealt.map(({ message }) => message);
  return order.every((message, index) => message === messages[index]) ? order.toReversed() : order;
}
