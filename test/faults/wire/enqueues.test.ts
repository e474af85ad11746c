import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createJobClient } from '../../../shared/client/create-job-client.ts';
import type { JobClient } from '../../../shared/client/job-client.ts';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import type { JournalEntry } from '../../../shared/ports/journal.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import type { TableName } from '../../../shared/ports/tables.ts';
import { anyPayload } from '../../support/rig.ts';
import { type WireAnswer, wireError, type WireRequest, wireServer } from '../../support/wire-server.ts';

const work = defineJob('work', { payload: anyPayload });
const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>;

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
}

const taking = ({ body }: WireRequest, refused: readonly number[]): WireAnswer => {
  const entries = body['Entries'] as readonly Entry[];
  const of = (isRefused: boolean): readonly Entry[] => entries.filter((_, at) => refused.includes(at) === isRefused);
  const digest = (text: string): string => createHash('md5').update(text).digest('hex');
  return {
    body: {
      Successful: of(false).map(({ Id, MessageBody }) => ({ Id, MessageId: Id, MD5OfMessageBody: digest(MessageBody) })),
      Failed: of(true).map(({ Id }) => ({ Id, Code: 'InvalidMessageContents', SenderFault: true })),
    },
  };
};

interface Stage {
  readonly client: JobClient;
  /** What was asked of the store, and then of the queues. */
  readonly asked: () => readonly string[];
  readonly told: readonly JournalEntry[];
}

async function stage(
  answer: (request: WireRequest) => WireAnswer = () => ({}),
  more: { readonly refused?: readonly number[]; readonly settings?: Readonly<Record<string, number>> } = {},
): Promise<Stage> {
  const [dynamo, sqs] = [await wireServer(answer), await wireServer((request) => taking(request, more.refused ?? []))];
  const told: JournalEntry[] = [];
  const environment = {
    ...encodeEnvironment({
      tables,
      workers: { default: { lanes: { default: `${sqs.endpoint}/0/jobs` } } },
      ...(more.settings && { settings: more.settings }),
    }),
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
  };
  const journal = { ...silentJournal, record: (entry: JournalEntry) => void told.push(entry) };
  return {
    client: createJobClient({ environment, journal }),
    asked: () => [...dynamo.requests, ...sqs.requests].map(({ operation }) => operation),
    told,
  };
}

const tenAtOnce = ({ client }: Stage): Promise<readonly { readonly id: string }[]> =>
  Promise.all(Array.from({ length: 10 }, async (_, n) => client.enqueue(work, { n })));
const ten = (operation: string): readonly string[] => Array.from({ length: 10 }, () => operation);

describe('enqueues of one turn', () => {
  it('make one request to the store and one to the queue, and each gets its own job', async () => {
    const scene = await stage();
    const jobs = await tenAtOnce(scene);
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(10);
    expect(scene.asked()).toEqual(['BatchWriteItem', 'SendMessageBatch']);
    expect(scene.told.map(({ event }) => event)).toEqual(ten('enqueued'));
  });

  it('that come one after another make their own', async () => {
    const scene = await stage();
    for (const n of [1, 2]) await scene.client.enqueue(work, { n });
    expect(scene.asked().toSorted()).toEqual(['PutItem', 'PutItem', 'SendMessageBatch', 'SendMessageBatch']);
  });

  it('journal a hint that was not taken for the one job only', async () => {
    const scene = await stage(() => ({}), { refused: [3] });
    expect(await tenAtOnce(scene)).toHaveLength(10);
    expect(scene.told.filter(({ event }) => event === 'send-failed')).toHaveLength(1);
  });

  it('fall back to their own puts where a policy denies the batch, and the journal says what to grant', async () => {
    const scene = await stage(({ operation }) => (operation === 'BatchWriteItem' ? wireError('AccessDeniedException') : {}));
    await tenAtOnce(scene);
    expect(scene.asked().slice(0, 11)).toEqual(['BatchWriteItem', ...ten('PutItem')]);
    const refusals = scene.told.filter(({ event }) => event === 'batches-refused');
    expect(refusals.map(({ reason }) => reason)).toEqual([expect.stringContaining('Grant dynamodb:BatchWriteItem')]);
  });

  it('make their own puts where batchWrites is 0', async () => {
    const scene = await stage(() => ({}), { settings: { batchWrites: 0 } });
    await tenAtOnce(scene);
    expect(scene.asked().slice(0, 10)).toEqual(ten('PutItem'));
  });
});
