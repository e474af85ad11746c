import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { describe, expect, it } from 'vitest';
import { createActivation } from '../../../operate/activation.ts';
import type { Clock } from '../../../shared/ports/clock.ts';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: Record<string, unknown>;
}

interface Reply {
  readonly status?: number;
  readonly error?: string;
  readonly body: Record<string, unknown>;
}

const SCHEDULE = {
  Arn: 'arn:aws:scheduler:eu-west-1:1:schedule/ticks/acquire',
  Name: 'acquire',
  GroupName: 'ticks',
  Description: 'Starts acquirer 1 of 1.',
  ScheduleExpression: 'rate(1 minute)',
  ScheduleExpressionTimezone: 'Europe/Berlin',
  FlexibleTimeWindow: { Mode: 'OFF' },
  State: 'ENABLED',
  StartDate: 1_760_000_000,
  EndDate: 1_860_000_000,
  KmsKeyArn: 'arn:aws:kms:eu-west-1:1:key/2',
  ActionAfterCompletion: 'NONE',
  CreationDate: 1_760_000_000,
  LastModificationDate: 1_760_000_000,
  Target: {
    Arn: 'arn:aws:lambda:eu-west-1:1:function:acquirer',
    RoleArn: 'arn:aws:iam::1:role/ticks',
    Input: '{"acquirer":0,"of":1}',
    RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
  },
};

const textOf = (body: Uint8Array | string): string => (typeof body === 'string' ? body : Buffer.from(body).toString('utf8'));

/** Real clients whose requests end in `answer`; every call is recorded. */
function recording(answer: (call: Call) => Reply) {
  const calls: Call[] = [];
  const requestHandler = {
    handle: async (request: { method: string; path: string; body?: Uint8Array | string }) => {
      const call = {
        method: request.method,
        path: request.path,
        ...(request.body ? { body: JSON.parse(textOf(request.body)) as Record<string, unknown> } : {}),
      };
      calls.push(call);
      const { status = 200, error, body } = answer(call);
      const headers = { 'content-type': 'application/json', ...(error === undefined ? {} : { 'x-amzn-errortype': error }) };
      return { response: { statusCode: status, headers, body: Buffer.from(JSON.stringify(body)) } };
    },
  };
  const config = { region: 'eu-west-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' }, requestHandler, maxAttempts: 1 };
  return { calls, scheduler: new SchedulerClient(config), lambda: new LambdaClient(config) };
}

/** Schedules and mappings as AWS keeps them; a mapping takes `slow` looks to change. */
function world(slow = 0) {
  const state = { schedule: 'ENABLED', mapping: 'Enabled', wanted: 'Enabled', looks: 0 };
  const refusals: Reply[] = [];
  const answer = ({ method, path, body }: Call): Reply => {
    if (path.startsWith('/schedules/')) {
      if (method === 'PUT') state.schedule = String(body?.['State']);
      return { body: method === 'PUT' ? { ScheduleArn: SCHEDULE.Arn } : { ...SCHEDULE, State: state.schedule } };
    }
    if (method === 'PUT') {
      const refusal = refusals.shift();
      if (refusal !== undefined) return refusal;
      Object.assign(state, {
        wanted: body?.['Enabled'] === true ? 'Enabled' : 'Disabled',
        mapping: body?.['Enabled'] === true ? 'Enabling' : 'Disabling',
        looks: slow,
      });
    } else if (state.looks > 0) {
      state.looks -= 1;
    } else {
      state.mapping = state.wanted;
    }
    return { body: { UUID: 'mapping-1', State: state.mapping } };
  };
  return { state, refusals, answer };
}

function setUp(answer: (call: Call) => Reply) {
  const { calls, scheduler, lambda } = recording(answer);
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    wait: async (ms) => {
      waits.push(ms);
    },
  };
  const targets = { schedules: [{ name: 'acquire', groupName: 'ticks' }], eventSourceMappings: ['mapping-1'] };
  return { calls, waits, activation: createActivation({ scheduler, lambda, targets, clock }) };
}

const writes = (calls: readonly Call[]): readonly string[] => calls.filter(({ method }) => method === 'PUT').map(({ path }) => path);

describe('switching a deployment off and on', () => {
  it('disables the ticks, then the event sources, and waits until no job is fetched any more', async () => {
    const { answer } = world(2);
    const { calls, activation, waits } = setUp(answer);
    expect(await activation.deactivate()).toEqual({ schedules: { acquire: 'DISABLED' }, eventSourceMappings: { 'mapping-1': 'Disabled' } });
    expect(writes(calls)).toEqual(['/schedules/acquire', '/2015-03-31/event-source-mappings/mapping-1']);
    expect(waits).toEqual([2_000, 2_000, 2_000]);
  });

  it('enables the event sources before the ticks', async () => {
    const { state, answer } = world();
    Object.assign(state, { schedule: 'DISABLED', mapping: 'Disabled', wanted: 'Disabled' });
    const { calls, activation } = setUp(answer);
    expect(await activation.activate()).toEqual({ schedules: { acquire: 'ENABLED' }, eventSourceMappings: { 'mapping-1': 'Enabled' } });
    expect(writes(calls)).toEqual(['/2015-03-31/event-source-mappings/mapping-1', '/schedules/acquire']);
  });

  it('sends a schedule back as it was in all but its state', async () => {
    const { answer } = world();
    const { calls, activation } = setUp(answer);
    await activation.deactivate();
    const sent = calls.find(({ method, path }) => method === 'PUT' && path.startsWith('/schedules/'))?.body;
    const { Arn: _, Name: __, CreationDate: ___, LastModificationDate: ____, ...kept } = SCHEDULE;
    expect(sent).toMatchObject({ ...kept, State: 'DISABLED' });
  });

  it('changes nothing that is as it should be', async () => {
    const { answer } = world();
    const { calls, activation } = setUp(answer);
    await activation.activate();
    expect(writes(calls)).toEqual([]);
  });

  it('asks again when a mapping began to change in between', async () => {
    const { refusals, answer } = world();
    refusals.push({ status: 400, error: 'ResourceInUseException', body: { Message: 'in use' } });
    const { calls, activation } = setUp(answer);
    expect((await activation.deactivate()).eventSourceMappings).toEqual({ 'mapping-1': 'Disabled' });
    expect(writes(calls).filter((path) => path.includes('mapping'))).toHaveLength(2);
  });

  it('tries everything and then says what failed', async () => {
    const { state, answer } = world();
    const refused = (call: Call): Reply =>
      call.method === 'PUT' && call.path.startsWith('/schedules/')
        ? { status: 403, error: 'AccessDeniedException', body: { Message: 'iam:PassRole' } }
        : answer(call);
    const { activation } = setUp(refused);
    await expect(activation.deactivate()).rejects.toMatchObject({
      errors: [expect.objectContaining({ name: 'AccessDeniedException', message: 'tick acquire: iam:PassRole' })],
    });
    expect(state.mapping).toBe('Disabled');
  });

  it('says of a mapping that it may not switch what was refused, at once', async () => {
    const { refusals, answer } = world();
    refusals.push({ status: 403, error: 'AccessDeniedException', body: { Message: 'lambda:UpdateEventSourceMapping' } });
    const { activation, waits } = setUp(answer);
    const refused = { name: 'AccessDeniedException', message: 'event source mapping mapping-1: lambda:UpdateEventSourceMapping' };
    await expect(activation.deactivate()).rejects.toMatchObject({ errors: [expect.objectContaining(refused)] });
    expect(waits).toEqual([]);
  });

  it('switches a mapping before it waits for it', async () => {
    const { answer } = world();
    const waited: number[] = [];
    const { activation, waits } = setUp((call) => {
      if (call.method === 'PUT' && call.path.includes('mapping')) waited.push(waits.length);
      return answer(call);
    });
    await activation.deactivate();
    expect(waited).toEqual([0]);
  });

  it('gives up on a mapping that never gets there', async () => {
    const { answer } = world(1_000);
    const { activation, waits } = setUp(answer);
    await expect(activation.deactivate()).rejects.toMatchObject({
      errors: [expect.objectContaining({ message: expect.stringContaining('after 120 s') as string })],
    });
    expect(waits).toHaveLength(60);
  });
});
