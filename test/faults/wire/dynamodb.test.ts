import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock, systemEntropy } from '../../../shared/adapters/system.ts';
import { defined } from '../../../shared/job/defined.ts';
import { StoreUnavailableError } from '../../../shared/job/errors.ts';
import { BatchSupport } from '../../../shared/adapters/dynamodb/batch-support.ts';
import type { DynamoDeps } from '../../../shared/adapters/dynamodb/caller.ts';
import { createDynamoClient, type DynamoClientOptions } from '../../../shared/adapters/dynamodb/client.ts';
import { createDynamoTables } from '../../../shared/adapters/dynamodb/tables.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import type { SingleWrite, TableName, Tables } from '../../../shared/ports/tables.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import { type WireAnswer, wireError, type WireRequest, wireServer } from '../../support/wire-server.ts';

const MINUTE = 60_000;
/** The SDK's own quota pays for 35 retries. */
const CALLS = 60;
const REMOVE: SingleWrite = {
  op: 'delete',
  table: 'jobs',
  key: { id: 'a' },
  condition: { test: 'equals', attribute: 'lockOwner', value: 'run/mine' },
  quiet: true,
};
const PUT: SingleWrite = { op: 'put', table: 'jobs', row: { id: 'a' } };
const NAMES = Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>;

interface Wired {
  readonly tables: Tables;
  readonly requests: readonly WireRequest[];
}

async function wired(
  answer: (request: WireRequest) => WireAnswer,
  { deadlineAt, batches, ...options }: DynamoClientOptions & Pick<DynamoDeps, 'deadlineAt' | 'batches'> = {},
): Promise<Wired> {
  const { endpoint, requests } = await wireServer(answer);
  const client = createDynamoClient({ ...EMULATOR_ACCESS, endpoint, ...options });
  onTestFinished(() => client.destroy());
  const deps = { client, names: NAMES, clock: systemClock, entropy: systemEntropy, ...defined({ deadlineAt, batches }) };
  return { tables: createDynamoTables(deps), requests };
}

describe('a machine whose clock is wrong', () => {
  it.each([5, -5, 600])('by %i minutes makes one request for a failed condition, and does not take it for its own', async (minutes) => {
    const date = new Date(systemClock.now() + minutes * MINUTE);
    const { tables, requests } = await wired(() => ({ ...wireError('ConditionalCheckFailedException'), date }));
    expect(await tables.write(REMOVE)).toEqual({ applied: false, attempts: 1 });
    expect(requests).toHaveLength(1);
  });

  it('signs anew by AWS’s time when its signature was refused', async () => {
    const date = new Date(systemClock.now() + 10 * MINUTE);
    const { tables, requests } = await wired(({ turn }) =>
      turn === 1 ? { ...wireError('InvalidSignatureException', { message: 'Signature not yet current' }), date } : { date },
    );
    expect(await tables.write(REMOVE)).toEqual({ applied: true, attempts: 1 });
    expect(requests).toHaveLength(2);
  });
});

it('many writes at once whose connections are all reset are all made again', async () => {
  const { tables, requests } = await wired(({ turn }) => (turn <= CALLS ? 'reset' : {}));
  const all = await Promise.all(Array.from({ length: CALLS }, async () => tables.write(PUT)));
  expect(all.every(({ applied }) => applied)).toBe(true);
  expect(requests.length).toBeGreaterThanOrEqual(2 * CALLS);
});

describe('writes that travel together', () => {
  const removals = (...ids: readonly string[]): readonly SingleWrite[] => ids.map((id) => ({ ...REMOVE, key: { id } }));
  const together = (tables: Tables, ...ids: readonly string[]): Promise<readonly unknown[]> =>
    Promise.all(removals(...ids).map(async (write) => tables.write(write)));

  it('over a connection that is reset are all made again, and each counts both attempts', async () => {
    const { tables, requests } = await wired(
      ({ turn }) => (turn === 1 ? 'reset' : { body: { Responses: [{ Item: { id: { S: 'a' } } }, {}] } }),
      {
        batches: new BatchSupport(),
      },
    );
    expect(await together(tables, 'a', 'b')).toEqual([
      { applied: true, attempts: 2 },
      { applied: false, attempts: 2 },
    ]);
    expect(requests.map(({ operation }) => operation)).toEqual(['BatchExecuteStatement', 'BatchExecuteStatement']);
  });

  it('and are throttled in part have only that part made again', async () => {
    const { tables, requests } = await wired(
      ({ operation }) =>
        operation === 'BatchExecuteStatement'
          ? { body: { Responses: [{ Error: { Code: 'ThrottlingError' } }, { Item: { id: { S: 'b' } } }] } }
          : {},
      { batches: new BatchSupport() },
    );
    expect(await together(tables, 'a', 'b')).toEqual([
      { applied: true, attempts: 1 },
      { applied: true, attempts: 1 },
    ]);
    expect(requests.map(({ operation }) => operation)).toEqual(['BatchExecuteStatement', 'DeleteItem']);
    expect(requests[1]?.body).toMatchObject({ Key: { id: { S: 'a' } } });
  });

  it('and are throttled as a whole are repeated by the SDK, and no attempt counts but the last', async () => {
    const answered = { body: { Responses: [{}, {}] } };
    const { tables, requests } = await wired(({ turn }) => (turn === 1 ? wireError('ThrottlingException') : answered), {
      batches: new BatchSupport(),
    });
    expect(await together(tables, 'a', 'b')).toEqual([
      { applied: false, attempts: 1 },
      { applied: false, attempts: 1 },
    ]);
    expect(requests).toHaveLength(2);
  });
});

describe('puts of new jobs that travel together', () => {
  const window = (): { readonly notAfter: number } => ({ notAfter: systemClock.now() + MINUTE });
  const putBoth = (tables: Tables): Promise<readonly unknown[]> =>
    Promise.all(['a', 'b'].map(async (id) => tables.write({ op: 'put', table: 'jobs', row: { id } }, window())));

  it('over a connection that is reset are all made again, and each counts both attempts', async () => {
    const { tables, requests } = await wired(({ turn }) => (turn === 1 ? 'reset' : {}), { batches: new BatchSupport() });
    expect(await putBoth(tables)).toEqual([
      { applied: true, attempts: 2 },
      { applied: true, attempts: 2 },
    ]);
    expect(requests.map(({ operation }) => operation)).toEqual(['BatchWriteItem', 'BatchWriteItem']);
  });

  it('and are processed in part have only the rest made again', async () => {
    const left = { UnprocessedItems: { jobs: [{ PutRequest: { Item: { id: { S: 'b' } } } }] } };
    const { tables, requests } = await wired(({ operation }) => (operation === 'BatchWriteItem' ? { body: left } : {}), {
      batches: new BatchSupport(),
    });
    expect(await putBoth(tables)).toEqual([
      { applied: true, attempts: 1 },
      { applied: true, attempts: 1 },
    ]);
    expect(requests.map(({ operation }) => operation)).toEqual(['BatchWriteItem', 'PutItem']);
    expect(requests[1]?.body).toMatchObject({ Item: { id: { S: 'b' } } });
  });
});

it('credentials that never come do not outlast the deadline', async () => {
  const deadline = systemClock.now() + 300;
  const { tables, requests } = await wired(() => ({}), {
    credentials: async () => new Promise(() => {}),
    deadlineAt: () => deadline,
  });
  await expect(tables.write(PUT)).rejects.toThrow(StoreUnavailableError);
  expect(systemClock.now() - deadline).toBeLessThan(1_500);
  expect(requests).toEqual([]);
});
