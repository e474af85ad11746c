import { expect, it } from 'vitest';
import { activationCheck } from '../../../cli/doctor/check-running.ts';
import type { Patient } from '../../../cli/doctor/check.ts';
import { MissingPackageError } from '../../../shared/core/errors.ts';

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
