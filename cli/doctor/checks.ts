import { errorMessage } from '../text/error-message.ts';
import { queuesCheck } from './check-queues.ts';
import { permissionsCheck } from './check-permissions.ts';
import { recoveryCheck } from './check-recovery.ts';
import { activationCheck, clockCheck, groupsCheck, heartbeatsCheck, workersCheck } from './check-running.ts';
import { settingsCheck } from './check-settings.ts';
import { shapesCheck } from './check-shapes.ts';
import { tablesCheck } from './check-tables.ts';
import type { Check, Finding, Patient } from './check.ts';

/** Every check, in the order of the report. */
const CHECKS: readonly Check[] = [
  clockCheck,
  settingsCheck,
  tablesCheck,
  shapesCheck,
  queuesCheck,
  activationCheck,
  heartbeatsCheck,
  workersCheck,
  permissionsCheck,
  groupsCheck,
  recoveryCheck,
];

/** Runs every check; one that throws becomes a finding, and the others are still reported. */
export async function examine(patient: Patient): Promise<readonly Finding[]> {
  const found = await Promise.all(
    CHECKS.map(async ({ name, run }): Promise<readonly Finding[]> => {
      try {
        return await run(patient);
      } catch (error) {
        const says = `could not be checked: ${errorMessage(error)}`;
        return [{ check: name, subject: '', status: 'failed', says, fix: 'Check network, credentials and permissions (grantRead).' }];
      }
    }),
  );
  return found.flat();
}
