import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../shared/adapters/system.ts';
import { errorReply } from '../../testing/faults/wire-errors.ts';
import { aimAt, createFaults, type FaultName } from '../../testing/index.ts';
import { EMULATOR_ACCESS } from '../support/emulator-access.ts';
import { type FaultyDynamo, faultyDynamo } from '../support/faulty-clients.ts';
import { answer, scriptedHandler } from '../support/scripted-handler.ts';

const GETS = aimAt('GetItem');
const get = ({ names }: FaultyDynamo): GetItemCommand => new GetItemCommand({ TableName: names.jobs, Key: { id: { S: 'a' } } });

async function took(work: Promise<unknown>): Promise<number> {
  const from = systemClock.now();
  await work.catch(() => undefined);
  return systemClock.now() - from;
}

describe('a call that waits', () => {
  it('in a black hole is ended by the client’s own timeout, and its next attempt gets through', async () => {
    const dynamo = await faultyDynamo();
    dynamo.faults.next(GETS, 'black-hole');
    const impatience = [100];
    const terms = {
      // The black hole is left soon; an answer has all the time it needs.
      get requestTimeout() {
        return impatience.shift() ?? 60_000;
      },
    };
    const { $metadata } = await dynamo.client.send(get(dynamo), terms);
    expect([impatience, $metadata.attempts, dynamo.faults.counts()]).toEqual([[], 2, { 'black-hole': 1 }]);
  });

  it.each<FaultName>(['black-hole', 'slow', 'late'])('(%s) is ended by its signal', async (name) => {
    const dynamo = await faultyDynamo();
    dynamo.faults.rate({ fault: name, ms: 600_000 }, 1);
    const call = dynamo.client.send(get(dynamo), { abortSignal: AbortSignal.timeout(50) });
    expect(await took(call)).toBeLessThan(600_000);
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('in a black hole meets a broken connection when the faults stop', async () => {
    const dynamo = await faultyDynamo();
    dynamo.faults.next(GETS, 'black-hole');
    const call = dynamo.client.send(get(dynamo));
    while (dynamo.faults.pending() > 0) await systemClock.wait(5);
    await systemClock.wait(50);
    dynamo.faults.stop();
    expect((await call).$metadata.attempts).toBe(2);
  });

  it('for a slow reply gets it in the end', async () => {
    const dynamo = await faultyDynamo();
    dynamo.faults.next(GETS, { fault: 'slow', ms: 60 });
    expect(await took(dynamo.client.send(get(dynamo)))).toBeGreaterThanOrEqual(55);
  });
});

describe('a client of another service', () => {
  it('meets the same faults, as errors that it knows', async () => {
    const faults = createFaults();
    const lambda = faults.under(new LambdaClient({ ...EMULATOR_ACCESS, requestHandler: scriptedHandler(answer()), maxAttempts: 1 }));
    onTestFinished(() => lambda.destroy());
    faults.next(({ service }) => service === 'Lambda', 'throttle');
    await expect(lambda.send(new ListFunctionsCommand({}))).rejects.toMatchObject({ name: 'ThrottlingException', $fault: 'client' });
    expect(faults.log).toEqual([{ fault: 'throttle', service: 'Lambda', operation: 'ListFunctions', attempt: 1 }]);
  });

  it('whose protocol is not JSON meets an error of that name', () => {
    const request = { headers: { 'content-type': 'application/xml' }, protocol: 'https:', hostname: 'h' };
    const refuse = (): unknown => errorReply(request, { name: 'SlowDown', status: 503, message: 'm' });
    expect(refuse).toThrow(expect.objectContaining({ name: 'SlowDown', $fault: 'server', $metadata: { httpStatusCode: 503 } }));
  });
});
