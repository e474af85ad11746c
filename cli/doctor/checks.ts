import { errorMessage } from '../text/error-message.ts';
import { queuesCheck } from './check-queues.ts';
import { recoveryCheck } from './check-recovery.ts';
import { activationCheck, clockCheck, groupsCheck, heartbeatsCheck, workersCheck } from './check-running.ts';
import { tablesCheck } from './check-tables.ts';
import type { Check, Finding, Patient } from './check.ts';

/** Every check, in the order in which they are told. */
const CHECKS: readonly Check[] = [
  clockCheck,
  tablesCheck,
  queuesCheck,
  activationCheck,
  heartbeatsCheck,
  workersCheck,
  groupsCheck,
  recoveryCheck,
];

/** Runs every check; one that fails by itself is a finding and does not keep the others from being told. */
export async function examine(patient: Patient): Promise<readonly Finding[]> {
  const found = await Promise.all(
    CHECKS.map(async ({ name, run }): Promise<readonly Finding[]> => {
      try {
        return await run(patient);
      } catch (error) {
        const says = `could not be checked: ${errorMessage(error)}`;
        return [{ check: name, subject: '', status: 'failed', says, fix: 'Check network, credentials and rights (grantRead).' }];
      }
    }),
  );
  return found.flat();
}
