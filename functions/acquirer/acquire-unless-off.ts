import { tickIsOff } from '../../shared/features/rules/store/switched-off.ts';
import type { Invocation } from '../../shared/ports/sandbox.ts';
import { type AcquirerReport, acquireTimers } from './acquire-timers.ts';
import type { AcquirerShare } from './acquirer-share.ts';
import type { AcquirerDeps } from './deps.ts';

/**
 * A tick that does nothing while an operator has the deployment switched off, whatever its schedules say. It leaves no heartbeat then. `before` comes
 * before the timers.
 */
export async function acquireUnlessOff(
  deps: AcquirerDeps,
  share: AcquirerShare,
  invocation: Invocation,
  before: () => Promise<void> = async () => {},
): Promise<AcquirerReport> {
  if (await tickIsOff(deps.tables)) return { fired: 0, unfinished: 0, failed: 0, lagMs: 0, released: 0 };
  await before();
  return acquireTimers(deps, share, invocation);
}
