import { ScriptedWorld } from '../../exhaustive/scripted-world.ts';
import type { Violation } from '../../simulation/check/violations.ts';
import type { StoreFault } from '../../simulation/faults/fault-plan.ts';

const SECOND = 1_000;
/** The put is applied, its reply is lost, and two more attempts are turned away: the fourth comes seconds later. */
const ATTEMPTS: readonly StoreFault[] = ['lost-reply', 'throttled', 'throttled'];
/** After the lease of a job that is dispatched anew at once, and before that fourth attempt. */
const TICK_AT = 3.2 * SECOND;

/** The SDK of a producer still tries to put a job when a tick of the sweeper comes by. */
export async function slowProducer(): Promise<readonly Violation[]> {
  const faults = [...ATTEMPTS];
  const stage = new ScriptedWorld({
    chaos: () => ({
      faultOf: ({ role }, { writes }) => (role === 'client' && writes.length > 0 ? faults.shift() : undefined),
      latency: () => 2,
      pauseMs: () => 0,
      lateMs: () => 0,
    }),
  });
  stage.world.time.after(TICK_AT, () => void stage.sandboxes.sweep());
  await stage.enqueue('usual', { workMs: 1 });
  await stage.close();
  return stage.world.checks.violations.list;
}
