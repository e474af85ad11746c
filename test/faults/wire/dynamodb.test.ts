import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock, systemEntropy } from '../../../shared/config/system.ts';
import { StoreUnavailableError } from '../../../shared/core/errors.ts';
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
  { deadlineAt, ...options }: DynamoClientOptions & Pick<DynamoDeps, 'deadlineAt'> = {},
): Promise<Wired> {
  const { endpoint, requests } = await wireServer(answer);
  const client = createDynamoClient({ ...EMULATOR_ACCESS, endpoint, ...options });
  onTestFinished(() => client.destroy());
  const deps = { client, names: NAMES, clock: systemClock, entropy: systemEntropy };
  return { tables: createDynamoTables(deadlineAt === undefined ? deps : { ...deps, deadlineAt }), requests };
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
