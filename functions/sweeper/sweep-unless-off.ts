import { mayHaveBounds } from '../../shared/features/backlogs/store/backlog-rows.ts';
import { rulesOfTick, switchedOff } from '../../shared/features/rules/store/switched-off.ts';
import type { Invocation } from '../../shared/ports/sandbox.ts';
import type { SweeperDeps } from './deps.ts';
import { sweep, type SweepReport } from './sweep.ts';

/** A tick that does nothing while an operator has the deployment switched off, whatever its schedules say. It leaves no heartbeat then. */
export async function sweepUnlessOff(deps: SweeperDeps, invocation: Invocation): Promise<SweepReport> {
  const rules = await rulesOfTick(deps.tables);
  if (rules !== undefined && switchedOff(rules) !== undefined) return { counts: {}, readUnits: 0, resumed: 0, passedSegments: 0 };
  return sweep(deps, invocation, rules === undefined || mayHaveBounds(rules.others));
}
