import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock, systemEntropy } from '../../../shared/adapters/system.ts';
import { StoreUnavailableError } from '../../../shared/job/errors.ts';
import type { Hint } from '../../../shared/job/hint.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { HintSender } from '../../../shared/ports/hints.ts';
import type { SqsDeps } from '../../../shared/adapters/sqs/caller.ts';
import { createSqsClient } from '../../../shared/adapters/sqs/client.ts';
import { createSqsHints } from '../../../shared/adapters/sqs/hints.ts';
import { createPollingClient, createSqsSource } from '../../../shared/adapters/sqs/source.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import { idOf } from '../../support/job-rows.ts';
import { type WireAnswer, wireError, type WireRequest, wireServer } from '../../support/wire-server.ts';

const QUEUE = { worker: 'w', lane: 'l', kind: 'standard' } as const;
/** The SDK's own quota pays for 35 retries. */
const CALLS = 60;
/** A busy machine must not end the tries of a send. */
const STILL: Clock = { now: () => 0, wait: async () => {} };
const hint = (seed: number): Hint => ({ id: idOf(seed), n: 1, worker: 'w', lane: 'l', delayMs: 0, alone: false });

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
}

const entriesOf = ({ body }: WireRequest): readonly Entry[] => body['Entries'] as readonly Entry[];
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
/** Takes the entries that `which` names, and says `failed` of others. */
const taking = (request: WireRequest, which: (index: number) => boolean, failed: readonly object[] = []): WireAnswer => ({
  body: {
    Successful: entriesOf(request)
      .filter((_, index) => which(index))
      .map(({ Id, MessageBody }) => ({ Id, MessageId: Id, MD5OfMessageBody: md5(MessageBody) })),
    Failed: failed,
  },
});
const all = (request: WireRequest): WireAnswer => taking(request, () => true);

async function wired(
  answer: (request: WireRequest) => WireAnswer,
): Promise<{ hints: HintSender; deps: SqsDeps; endpoint: string; requests: readonly WireRequest[] }> {
  const { endpoint, requests } = await wireServer(answer);
  const client = createSqsClient({ ...EMULATOR_ACCESS, endpoint });
  onTestFinished(() => client.destroy());
  const workers = new Map([['w', { lanes: { l: `${endpoint}/0/q` } }]]);
  const deps = { client, workers, clock: STILL, entropy: systemEntropy };
  return { hints: createSqsHints(deps), deps, endpoint, requests };
}

describe('hints over a hostile wire', () => {
  it('many sends at once whose connections are all reset are all made again', async () => {
    const { hints, requests } = await wired((request) => (request.turn <= CALLS ? 'reset' : all(request)));
    const left = await Promise.all(Array.from({ length: CALLS }, async (_, seed) => hints.send([hint(seed)])));
    expect(left.flat()).toEqual([]);
    expect(requests.length).toBeGreaterThanOrEqual(2 * CALLS);
  });

  it('a send without an answer is made again after the SDK gave up', async () => {
    const { hints, requests } = await wired((request) => (request.turn <= 3 ? 'reset' : all(request)));
    expect(await hints.send([hint(1)])).toEqual([]);
    expect(requests).toHaveLength(4);
  });

  it.each(['KmsThrottled', 'OverLimit'])('%s is tried again', async (name) => {
    const { hints, requests } = await wired((request) => (request.turn === 1 ? wireError(name) : all(request)));
    expect(await hints.send([hint(1)])).toEqual([]);
    expect(requests).toHaveLength(2);
  });

  it.each(['RequestThrottled', 'KmsThrottled', 'AWS.SimpleQueueService.OverLimit'])(
    'an entry that failed with %s is sent again, although it is said to be the sender’s fault',
    async (Code) => {
      const { hints, requests } = await wired((request) =>
        request.turn === 1 ? taking(request, (index) => index > 0, [{ Id: '0', Code, SenderFault: true }]) : all(request),
      );
      expect(await hints.send([hint(1), hint(2)])).toEqual([]);
      expect(requests.map((request) => entriesOf(request).length)).toEqual([2, 1]);
    },
  );

  it('an entry of which the reply says nothing is sent again, and given back in the end', async () => {
    const { hints, requests } = await wired((request) => taking(request, (index) => index > 0));
    expect(await hints.send([hint(1), hint(2), hint(3)])).toEqual([hint(1)]);
    expect(requests.map((request) => entriesOf(request).length)).toEqual([3, 1, 1]);
  });
});

it('a long poll ends with the deadline, and asks for no longer a wait than is left', async () => {
  const deadline = systemClock.now() + 2_000;
  const { deps, endpoint, requests } = await wired(() => 'silence');
  const client = createPollingClient({ ...EMULATOR_ACCESS, endpoint });
  onTestFinished(() => client.destroy());
  const source = createSqsSource({ ...deps, client, clock: systemClock, deadlineAt: () => deadline });
  await expect(source.receive(QUEUE, { max: 10, waitMs: 20_000 })).rejects.toThrow(StoreUnavailableError);
  expect(systemClock.now() - deadline).toBeLessThan(1_500);
  expect(requests[0]?.body['WaitTimeSeconds']).toBe(1);
});
