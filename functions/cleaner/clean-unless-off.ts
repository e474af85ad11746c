import { type CleanDeps, cleanPayloads, type CleanReport } from '../../shared/features/claim-check/store/clean-payloads.ts';
import { rulesOfTick, switchedOff } from '../../shared/features/rules/store/switched-off.ts';
import type { Invocation } from '../../shared/ports/sandbox.ts';

/** A page of a thousand payloads takes seconds, and minutes where the tables throttle. */
const LEFT_AFTER_PAGE_MS = 120_000;

/** A tick that does nothing while an operator has the deployment switched off: its tables may be in the middle of a restore. */
export async function cleanUnlessOff(deps: CleanDeps, { deadlineAt }: Invocation): Promise<CleanReport> {
  const rules = await rulesOfTick(deps.tables);
  if (rules !== undefined && switchedOff(rules) !== undefined) return { removed: 0, referred: 0, young: 0, foreign: 0, complete: false };
  return cleanPayloads(deps, deadlineAt - LEFT_AFTER_PAGE_MS);
}
