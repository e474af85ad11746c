import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createDynamoClient } from '../../shared/adapters/dynamodb/client.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { aimAt, createFaults, type Faults, type InjectedFault, skewedClock } from '../../testing/index.ts';
import { systemClock } from '../../shared/adapters/system.ts';
import { EMULATOR_ACCESS } from '../support/emulator-access.ts';
import { answer, scriptedHandler } from '../support/scripted-handler.ts';

const wrong = (value: unknown): never => value as never;

function scripted(faults: Faults): { readonly put: () => Promise<unknown>; readonly requests: () => number } {
  const requestHandler = scriptedHandler(answer());
  const client = faults.under(createDynamoClient({ ...EMULATOR_ACCESS, requestHandler }));
  return {
    put: async () => client.send(new PutItemCommand({ TableName: 't', Item: {} })).catch((error: unknown) => error),
    requests: () => requestHandler.requests.length,
  };
}

async function run(seed: number): Promise<{ readonly log: readonly InjectedFault[]; readonly requests: number }> {
  const faults = createFaults({ seed });
  faults.rate('reset', 0.1);
  faults.rate('lost-reply', 0.1);
  const { put, requests } = scripted(faults);
  for (let call = 0; call < 60; call++) await put();
  return { log: faults.log, requests: requests() };
}

describe('faults by chance', () => {
  it('repeat themselves with their seed, and differ with another', async () => {
    const [one, same, other] = [await run(1), await run(1), await run(2)];
    expect(one.log.length).toBeGreaterThan(3);
    expect(same).toEqual(one);
    expect(other.log).not.toEqual(one.log);
  });

  it('hit nothing at 0 and everything at 1', async () => {
    const never = createFaults();
    never.rate('unavailable', 0);
    expect([await scripted(never).put(), never.counts()]).toMatchObject([{ $metadata: { attempts: 1 } }, {}]);
    const always = createFaults();
    always.rate('unavailable', 1);
    const { put, requests } = scripted(always);
    await put();
    expect([requests(), always.counts()]).toEqual([0, { unavailable: 1 }]);
  });
});

describe('an argument that would inject nothing is refused, and the error names it', () => {
  const aim = aimAt('PutItem');
  const calls: [string, (faults: Faults) => unknown, RegExp][] = [
    ['a fault that there is not', (faults) => faults.next(aim, wrong('lost')), /^fault: "lost".*lost-reply/],
    ['no fault', (faults) => faults.next(aim, wrong(undefined)), /^fault: /],
    ['a property of every object', (faults) => faults.next(aim, wrong('toString')), /^fault: "toString"/],
    ['a misspelt detail', (faults) => faults.next(aim, wrong({ fault: 'slow', millis: 5 })), /^fault: "millis".*ms/],
    ['negative milliseconds', (faults) => faults.next(aim, { fault: 'slow', ms: -1 }), /^fault\.ms: -1/],
    ['entries that are no function', (faults) => faults.next(aim, wrong({ fault: 'partial', entries: [0] })), /^fault\.entries: an array/],
    ['a text for an aim', (faults) => faults.next(wrong('PutItem'), 'throttle'), /^aim: "PutItem".*aimAt/],
    ['no times', (faults) => faults.next(aim, 'throttle', 0), /^times: 0/],
    ['a share in percent', (faults) => faults.rate('throttle', 5), /^share: 5.*0\.05/],
    ['a share that is no number', (faults) => faults.rate('throttle', wrong('0.5')), /^share: /],
    ['a meanwhile that is none', (faults) => faults.before(aim, wrong(undefined)), /^meanwhile: /],
    ['an operation with the class’s ending', () => aimAt('PutItemCommand'), /^operations: "PutItemCommand".*PutItem/],
    ['no operations', () => aimAt([]), /^operations: /],
    ['a seed that is a text', () => createFaults(wrong({ seed: 'x' })), /^seed: "x"/],
    ['a misspelt option', () => createFaults(wrong({ sede: 1 })), /^options: "sede".*seed/],
    ['a client that is none', (faults) => faults.under(wrong({})), /^client: an object.*DynamoDBClient/],
    ['a skew that is no number', (faults) => faults.under(createDynamoClient(EMULATOR_ACCESS), { skewMs: Number.NaN }), /^skewMs: NaN/],
    ['a clock’s skew that is no number', () => skewedClock(systemClock, Number.NaN), /^ms: NaN/],
  ];
  it.each(calls)('%s', (_name, call, message) => {
    const attempt = (): unknown => call(createFaults());
    expect(attempt).toThrow(InvalidInputError);
    expect(attempt).toThrow(message);
  });

  it('a second set of faults under one client', () => {
    const client = createFaults().under(createDynamoClient(EMULATOR_ACCESS));
    expect(() => createFaults().under(client)).toThrow(/^client: .*once/);
  });
});
