import { Readable } from 'node:stream';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { expect, it, onTestFinished, vi } from 'vitest';
import { activationCheck } from '../../../cli/doctor/check-running.ts';
import { type Patient, unseen } from '../../../cli/doctor/check.ts';
import { lookAtAws } from '../../../cli/doctor/look-at-aws.ts';
import { MissingPackageError } from '../../../shared/job/errors.ts';

const lookedAt = async (error: Error) => {
  const activation = async (): Promise<never> => {
    throw error;
  };
  return activationCheck.run({ activation } as unknown as Patient);
};
const named = (name: string): Error => Object.assign(new Error('no'), { name });

it('says that it may not look at ticks and event sources, which is no fault of the deployment', async () => {
  expect(await lookedAt(named('AccessDeniedException'))).toMatchObject([
    { status: 'unknown', fix: expect.stringContaining('grantActivate') as string },
  ]);
});

it('says what installs a client that is missing here, which is no fault of the deployment either', async () => {
  const missing = new MissingPackageError(['@aws-sdk/client-lambda', '@aws-sdk/client-scheduler'], {
    cause: named('ERR_MODULE_NOT_FOUND'),
  });
  expect(await lookedAt(missing)).toMatchObject([
    { status: 'unknown', fix: 'npm install @aws-sdk/client-lambda @aws-sdk/client-scheduler' },
  ]);
});

it('does not call a tick that is gone a missing right', async () => {
  await expect(lookedAt(named('ResourceNotFoundException'))).rejects.toThrow('no');
});

it('finds ticks and event sources that are on although an operator has switched the deployment off', async () => {
  const off = { actor: 'anna', at: new Date(0), reason: 'the relay is down' };
  const status = { schedules: { sweeper: 'ENABLED', acquirer: 'DISABLED' }, eventSourceMappings: { uuid: 'Enabled' } };
  const checked = (mark: object | undefined) =>
    activationCheck.run({ activation: async () => status, admin: { deploymentOff: async () => mark } } as unknown as Patient);
  const says = 'is on, but anna switched the deployment off at 1970-01-01T00:00:00.000Z: it does nothing';
  const fix = expect.stringContaining('nightcrew activate if the deployment should run, or nightcrew deactivate') as string;
  expect(await checked(off)).toEqual([
    { check: 'tick', subject: 'sweeper', status: 'failed', says, fix },
    { check: 'tick', subject: 'acquirer', status: 'failed', says: 'is DISABLED', fix: expect.any(String) as string },
    { check: 'event source', subject: 'uuid', status: 'failed', says, fix },
  ]);
  expect((await checked(undefined)).map(({ status: judged }) => judged)).toEqual(['ok', 'failed', 'ok']);
});

it('names the permission that the operator lacks, and which grant has it', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const table = 'arn:aws:dynamodb:eu-west-1:1:table/Jobs';
  const message = `User: arn:aws:iam::1:user/anna is not authorized to perform: dynamodb:DescribeTable on resource: ${table} because no identity-based policy allows it`;
  vi.spyOn(NodeHttpHandler.prototype, 'handle').mockImplementation(async () => {
    const body = Object.assign(Readable.from([JSON.stringify({ __type: '#AccessDeniedException', message })]), { complete: true });
    return { response: { statusCode: 400, headers: {}, body } };
  });
  const environment = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' };
  const look = await lookAtAws(environment, () => 0).table('Jobs');
  expect(unseen(look, { check: 'table', subject: 'Jobs' })).toEqual({
    check: 'table',
    subject: 'Jobs',
    status: 'unknown',
    says: `could not be read (AccessDeniedException: dynamodb:DescribeTable on ${table})`,
    fix: 'Allow it: grantRead of the construct does.',
  });
});
